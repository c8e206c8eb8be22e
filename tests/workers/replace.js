// Saves version 2 of a document. Fault: writeFileSync cuts the old version off first.
// Started as: node replace.js good|bad
const fs = require('fs');
const lines = Array.from({length: 100}, (_, n) => `line ${n} of version 2\n`);
const text = 'version 2\n' + lines.join('') + 'end 2\n';
if (process.argv[2] === 'good') {
  const fd = fs.openSync('doc.new', 'w');
  fs.writeSync(fd, text);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync('doc.new', 'doc');
  const folder = fs.openSync('.', 'r');
  fs.fsyncSync(folder);
  fs.closeSync(folder);
} else {
  fs.writeFileSync('doc', text);
}
fs.writeSync(1, 'saved 2\n');
