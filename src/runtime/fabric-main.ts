import { backupCommand } from './cli/backup-command';
import { restoreCommand } from './cli/restore-command';
import { runCli } from './cli/run-cli';

// The program `fabric`: npm run fabric -- <command>, or node dist/fabric.mjs <command>.
process.exitCode = await runCli([backupCommand, restoreCommand], process.argv.slice(2), {
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
});
