import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The operating-system user that PostgreSQL runs as. */
export type DatabaseAccount = { uid: number; gid: number; name: string };

function lookUp(name: string): DatabaseAccount | undefined {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [user, , uid, gid] = line.split(':');
    if (user === name && uid && gid) return { uid: Number(uid), gid: Number(gid), name };
  }
  return undefined;
}

/**
 * The user to switch to for PostgreSQL, which refuses to run as root: `fabric`, created when missing, else `withoutRoles`
 * (a container without useradd). `null` when this process is not root and PostgreSQL simply runs as the same user.
 * @throws Error when root and neither user exists.
 */
export function findDatabaseAccount(): DatabaseAccount | null {
  if (userInfo().uid !== 0) return null;
  const existing = lookUp('fabric');
  if (existing) return existing;
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'fabric'], {
    stdio: 'ignore',
  });
  const account = lookUp('fabric') ?? lookUp('nobody');
  if (!account) {
    throw new Error(
      'PostgreSQL cannot run as root, and there is no user "fabric" or "nobody" to run it as. Create one: useradd --system fabric',
    );
  }
  return account;
}
