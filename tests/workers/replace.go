// Saves version 2 of a document. Fault: os.WriteFile cuts the old version off first.
package main

import (
	"fmt"
	"os"
	"strings"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func document(version int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "version %d\n", version)
	for line := 0; line < 100; line++ {
		fmt.Fprintf(&text, "line %d of version %d\n", line, version)
	}
	fmt.Fprintf(&text, "end %d\n", version)
	return text.String()
}

func saveByRename(path, text string) {
	file, err := os.Create(path + ".new")
	must(err)
	_, err = file.WriteString(text)
	must(err)
	must(file.Sync())
	must(file.Close())
	must(os.Rename(path+".new", path))
	folder, err := os.Open(".")
	must(err)
	must(folder.Sync())
}

func main() {
	if os.Args[1] == "good" {
		saveByRename("doc", document(2))
	} else {
		must(os.WriteFile("doc", []byte(document(2)), 0o644))
	}
	fmt.Println("saved 2")
}
