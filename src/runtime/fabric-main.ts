import { env } from '@/server/lib/env';
import { backupCommand } from './cli/backup-command';
import { createAdminCommand } from './cli/create-admin-command';
import { doctorCommand } from './cli/doctor-command';
import { flowStoreCommand } from './cli/flow-store-command';
import { ownRemoteCommands } from './cli/remote/remote-commands';
import { restoreCommand } from './cli/restore-command';
import { rotateKeysCommand } from './cli/rotate-keys-command';
import { runCli } from './cli/run-cli';
import { verifyAuditCommand } from './cli/verify-audit-command';

const COMMANDS = [
  ...[backupCommand, restoreCommand, rotateKeysCommand],
  ...[createAdminCommand, verifyAuditCommand, doctorCommand, flowStoreCommand],
  ...ownRemoteCommands(process.env),
];

// The program `fabric`: npm run fabric -- <command>, or node dist/fabric.mjs <command>. What services log is for services:
// standard output belongs to the command.
env().LOG_LEVEL = 'silent';
const status = await runCli(COMMANDS, process.argv.slice(2), {
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
});
// A connection that waits for its server must not hold the program; what was written is written to the end.
process.stdout.write('', () => process.exit(status));
