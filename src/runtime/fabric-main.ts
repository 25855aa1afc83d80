import { backupCommand } from './cli/backup-command';
import { createAdminCommand } from './cli/create-admin-command';
import { restoreCommand } from './cli/restore-command';
import { rotateKeysCommand } from './cli/rotate-keys-command';
import { runCli } from './cli/run-cli';
import { verifyAuditCommand } from './cli/verify-audit-command';

const COMMANDS = [backupCommand, restoreCommand, rotateKeysCommand, createAdminCommand, verifyAuditCommand];

// The program `fabric`: npm run fabric -- <command>, or node dist/fabric.mjs <command>.
process.exitCode = await runCli(COMMANDS, process.argv.slice(2), {
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
});
