#!/bin/sh
# Saves version 2 of a document. Fault: the redirection cuts the old version off first.
set -e
document() {
    echo "version 2"
    line=0
    while [ $line -lt 100 ]; do
        echo "line $line of version 2"
        line=$((line + 1))
    done
    echo "end 2"
}
if [ "$1" = good ]; then
    document >doc.new
    sync doc.new
    mv doc.new doc
    sync .
else
    document >doc
fi
echo "saved 2"
