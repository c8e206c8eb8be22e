#!/bin/sh
# Takes records from its standard input into a log. No fault: it promises after the sync.
set -e
number=0
while read -r record; do
    number=$((number + 1))
    echo "$record" >>log
    sync log
    echo "saved $number"
done
