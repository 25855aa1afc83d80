// Writes numbered lines to a log file that is rotated under its hands, as a logging daemon does: after each rename it
// goes on with the old file for a while. node agent-log-writer.cjs <file> <lines> <lines per second>
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [file = '', lines = '0', rate = '1000'] = process.argv.slice(2);
const ROTATE_EVERY = 1000;
const REOPEN_AFTER = 300;
const PER_TURN = 10;

let fd = openSync(file, 'a');
let rotations = 0;
async function write(): Promise<void> {
  for (let i = 0; i < Number(lines); i += 1) {
    if (i % ROTATE_EVERY === ROTATE_EVERY - REOPEN_AFTER) {
      rotations += 1;
      renameSync(file, `${file}.${rotations}`);
      closeSync(openSync(file, 'a'));
    }
    if (i > 0 && i % ROTATE_EVERY === 0) {
      closeSync(fd);
      fd = openSync(file, 'a');
    }
    writeSync(fd, `line ${i}\n`);
    if (i % PER_TURN === 0) await sleep((1000 * PER_TURN) / Number(rate));
  }
  process.stdout.write(`${rotations}\n`);
}
void write();
