import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClusterAuthority } from '@fabric/simulator/pki/cluster-authority';
import { Attribute, Change, Client } from 'ldapts';

const SLAPD = '/usr/sbin/slapd';
/** Why the tests with a directory do not run here; null when they do. @throws Error on CI, where they must */
export function findSlapdProblem(): string | null {
  if (existsSync(SLAPD)) return null;
  const reason = 'slapd is not installed (Debian package slapd)';
  if (process.env.CI === 'true') throw new Error(reason);
  process.stderr.write(`skipped the tests with a directory: ${reason}\n`);
  return reason;
}

export const BASE = 'dc=example,dc=org';
export const BIND = { dn: `cn=fabric,${BASE}`, password: 'bind secret' };
const ROOT = { dn: `cn=root,${BASE}`, password: 'root secret' };
export const PEOPLE = `ou=people,${BASE}`;
export const GROUPS = `ou=groups,${BASE}`;

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return address.port;
}

export type Slapd = Awaited<ReturnType<typeof startSlapd>>;

/** A real slapd on loopback, with certificates of an authority of its own and an empty directory below `BASE`. */
export async function startSlapd() {
  const folder = mkdtempSync(join(tmpdir(), 'fabric-slapd-'));
  mkdirSync(join(folder, 'db'));
  const authority = createClusterAuthority('directory', new Date());
  const leaf = authority.issueLeaf({ name: 'ldap', fqdn: 'ldap.example.org', ip: '127.0.0.1' }, new Date());
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const schemas = ['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`);
  const config = write(
    'slapd.conf',
    `${schemas.join('\n')}
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
moduleload ppolicy
TLSCACertificateFile ${write('ca.pem', authority.caPem)}
TLSCertificateFile ${write('cert.pem', leaf.certPem)}
TLSCertificateKeyFile ${write('key.pem', leaf.keyPem)}
# As many do it who have programs that need it: a bind with a name and an empty password succeeds.
allow bind_anon_dn bind_anon_cred
database mdb
suffix ${BASE}
directory ${join(folder, 'db')}
rootdn ${ROOT.dn}
rootpw "${ROOT.password}"
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${BIND.dn}" read by * none
overlay memberof
overlay ppolicy
`,
  );
  const [plain, tls] = [await findPort(), await findPort()];
  const urls = { plain: `ldap://127.0.0.1:${plain}`, tls: `ldaps://127.0.0.1:${tls}` };
  let child: ChildProcess | null = null;
  let output = '';
  const open = () => new Client({ url: urls.plain, timeout: 5000, connectTimeout: 5000 });

  async function asRoot<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = open();
    try {
      await client.bind(ROOT.dn, ROOT.password);
      return await work(client);
    } finally {
      await client.unbind();
    }
  }

  /** Waits until it answers, which takes some milliseconds. */
  async function start(): Promise<void> {
    child = spawn(SLAPD, ['-f', config, '-h', `${urls.plain} ${urls.tls}`, '-d', '0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.on('data', (data) => {
      output += data;
    });
    for (let left = 200; ; left -= 1) {
      try {
        await asRoot(async () => undefined);
        return;
      } catch (error) {
        if (left === 0 || child.exitCode !== null)
          throw new Error(`slapd does not answer: ${output}`, { cause: error });
        await new Promise((done) => setTimeout(done, 25));
      }
    }
  }

  async function stop(): Promise<void> {
    const running = child;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise((done) => running.once('exit', done));
    running.kill('SIGTERM');
    await ended;
  }

  await start();
  await asRoot(async (client) => {
    await client.add(BASE, { objectClass: ['dcObject', 'organization'], o: 'Example', dc: 'example' });
    for (const ou of ['people', 'groups'])
      await client.add(`ou=${ou},${BASE}`, { objectClass: 'organizationalUnit', ou });
    const account = { objectClass: ['organizationalRole', 'simpleSecurityObject'], cn: 'fabric' };
    await client.add(BIND.dn, { ...account, userPassword: BIND.password });
  });

  return {
    urls,
    ca: authority.caPem,
    start,
    stop,
    async addPerson(uid: string, password: string, more: Record<string, string> = {}): Promise<string> {
      const dn = `uid=${uid},${PEOPLE}`;
      const names = { cn: `${uid} Example`, sn: 'Example', mail: `${uid}@example.org` };
      await asRoot((client) =>
        client.add(dn, { objectClass: 'inetOrgPerson', uid, ...names, userPassword: password, ...more }),
      );
      return dn;
    },
    async addGroup(cn: string, members: string[], base = GROUPS): Promise<string> {
      const dn = `cn=${cn},${base}`;
      await asRoot((client) => client.add(dn, { objectClass: 'groupOfNames', cn, member: members }));
      return dn;
    },
    async set(dn: string, type: string, values: string[]): Promise<void> {
      const modification = new Attribute({ type, values });
      await asRoot((client) => client.modify(dn, new Change({ operation: 'replace', modification })));
    },
    rename: (dn: string, to: string) => asRoot((client) => client.modifyDN(dn, to)),
    async remove(): Promise<void> {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
