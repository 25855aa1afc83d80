import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { assertProductionEnv, env } from '@/server/lib/env';
import type { Installation } from '../open-installation';
import { type Check, failed, ok, skipped, warning } from './finding';

const GIB = 1024 ** 3;
const gib = (bytes: number) => `${(bytes / GIB).toFixed(1)} GiB`;

/** The machine and the data directory. */
export function machineChecks({ dataDirectory, secretKey, previousSecretKey }: Installation): Check[] {
  return [
    {
      name: 'node',
      async run() {
        const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
        return major > 20 || (major === 20 && minor >= 12)
          ? ok(`Node ${process.versions.node}`)
          : failed(`Node ${process.versions.node}`, 'Install Node 20.12 or later.');
      },
    },
    {
      name: 'environment',
      async run() {
        if (dataDirectory !== null) return ok('embedded mode');
        assertProductionEnv(env());
        return ok('your own database and queues');
      },
    },
    {
      name: 'data directory',
      async run() {
        if (dataDirectory === null) return skipped('the database is not embedded');
        const open = ['', 'secrets', 'secrets/secret_key', 'secrets/database_password'].filter((name) => {
          const path = join(dataDirectory, name);
          return existsSync(path) && (statSync(path).mode & 0o077) !== 0;
        });
        return open.length === 0
          ? ok(dataDirectory)
          : warning(
              `other users can read ${open.map((name) => join(dataDirectory, name)).join(', ')}`,
              `chmod -R go-rwx ${join(dataDirectory, 'secrets')}; chmod 700 ${dataDirectory}`,
            );
      },
    },
    {
      name: 'disk',
      async run() {
        if (dataDirectory === null) return skipped('monitor the disk of your PostgreSQL server');
        const { bavail, blocks, bsize } = statfsSync(dataDirectory);
        const [free, size] = [bavail * bsize, blocks * bsize];
        const detail = `${gib(free)} of ${gib(size)} free`;
        const remedy = 'Free disk space, or lower the flow retention in the settings.';
        if (free < GIB / 2) return failed(detail, remedy);
        return free < Math.max(2 * GIB, size / 20) ? warning(detail, remedy) : ok(detail);
      },
    },
    {
      name: 'secret key',
      async run() {
        if (secretKey === null) {
          return failed('not known here', 'Set FABRIC_SECRET_KEY to the key of the service.');
        }
        return previousSecretKey === null
          ? ok('one key')
          : warning(
              'a key rotation is not complete',
              'Run fabric rotate-keys, then remove FABRIC_PREVIOUS_SECRET_KEY.',
            );
      },
    },
  ];
}
