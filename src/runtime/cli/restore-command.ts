import { resolve } from 'node:path';
import { checkBackup, isEncrypted } from '@/server/backup/read-backup';
import { assertKnownRelease, checkRestoreTarget, restoreBackup } from '@/server/backup/restore-backup';
import { findOutsideFlows } from '@/server/traffic/storage/flow-storage';
import { type Command, EXIT, textOption } from './command';
import { withInstallation } from './open-installation';
import { promptSecret, readSecretFile } from './passphrase';
import { planKeys } from './restore-keys';

async function readPassphrase(path: string, file: string | null): Promise<string | null> {
  if (file !== null) return readSecretFile(file, 'passphrase');
  if (!(await isEncrypted(path))) return null;
  return promptSecret('Passphrase of the backup: ', 'The backup is encrypted. Use --passphrase-file.');
}

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty installation.',
  help: `  fabric restore FILE [--verify-only | --check] [--replace] [--passphrase-file FILE] [--write-key FILE] [--accept-lost-secrets]

The whole file is read and compared with its manifest before anything changes. Afterwards the database contains all of the
backup or, after any error, its previous content. Stop web and workers first. A backup of an earlier release is upgraded.

--verify-only           only check whether the file is intact and this release can restore it; Fabric may run
--check                 only check whether the file is intact and could be restored here
--replace               delete an installation that is in use
--passphrase-file FILE  the passphrase of an encrypted backup (- for standard input)
--write-key FILE        write the key in the backup to FILE, as environment variables for every process
--accept-lost-secrets   restore although the key of the backup is lost

The embedded mode imports a key in the backup. Otherwise FABRIC_SECRET_KEY must be the key of the backup.`,
  options: {
    'verify-only': { type: 'boolean' },
    check: { type: 'boolean' },
    replace: { type: 'boolean' },
    'passphrase-file': { type: 'string' },
    'write-key': { type: 'string' },
    'accept-lost-secrets': { type: 'boolean' },
  },
  positionals: ['FILE'],
  async run({ values, positionals, terminal }) {
    const path = resolve(positionals[0] ?? '');
    const passphrase = await readPassphrase(path, textOption(values, 'passphrase-file'));
    terminal.note(`Checking ${path}`);
    const backup = await checkBackup(path, passphrase);
    const { header, manifest } = backup;
    const rows = manifest.tables.reduce((total, table) => total + table.rows, 0);
    terminal.note(`Intact: ${manifest.tables.length} tables, ${rows} rows, created at ${header.created_at}.`);
    assertKnownRelease(backup);
    if (values['verify-only']) {
      terminal.print('The backup is intact.');
      return EXIT.ok;
    }
    const replace = values.replace === true;
    const writeKey = textOption(values, 'write-key');
    return withInstallation({ exclusive: true, create: values.check !== true }, terminal, async (installation) => {
      const { databaseUrl } = installation;
      await checkRestoreTarget(databaseUrl, replace);
      const keys = planKeys(backup, installation, {
        writeKey: writeKey === null ? null : resolve(writeKey),
        acceptLostSecrets: values['accept-lost-secrets'] === true,
      });
      if (values.check) {
        terminal.print('The backup can be restored here.');
        return EXIT.ok;
      }
      let isRestored = false;
      keys.prepare();
      try {
        await restoreBackup({
          ...{ databaseUrl, path, passphrase, backup, replace },
          onTable: (table) => table.rows > 0 && terminal.note(`${table.name}: ${table.rows} rows restored`),
          onRestored: () => {
            isRestored = true;
            keys.finish(terminal);
          },
        });
      } finally {
        if (!isRestored) keys.undo();
      }
      const { isClickhouse, isMoving } = await findOutsideFlows(databaseUrl);
      if (!isClickhouse && isMoving) {
        terminal.note(
          'It was made while flows moved to PostgreSQL. Continue that when Fabric runs (fabric flow-store move --to postgres), with ClickHouse as it was then.',
        );
      }
      if (isClickhouse) {
        terminal.note(
          'Its flows are in ClickHouse: restore the backup of that database from the same time before you start Fabric with CLICKHOUSE_URL.',
        );
      }
      terminal.print(`Restored the state of ${header.created_at}.`);
      return EXIT.ok;
    });
  },
};
