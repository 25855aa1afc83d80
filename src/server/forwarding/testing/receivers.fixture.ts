import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A port of this machine that nothing uses now. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A directory that is removed with everything in it by `remove`. */
export function makeDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'fabric-forwarding-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Makes a certificate for localhost that is its own authority. @returns its PEM */
export function makeCertificate(directory: string): string {
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ],
    { stdio: 'ignore' },
  );
  return readFileSync(certificate, 'utf8');
}

/** A program that tests started, and how they end it. */
export type Program = { child: ChildProcess; stop: (signal?: NodeJS.Signals) => Promise<void> };

/** @param log where it writes: a descriptor of an open file */
export function startProgram(file: string, args: readonly string[], log: number | 'ignore' = 'ignore'): Program {
  const child = spawn(file, args, { stdio: ['ignore', log, log] });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    child,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await closed;
    },
  };
}

/** Waits until a port accepts connections. */
export async function waitForPort(port: number): Promise<void> {
  const { connect } = await import('node:net');
  for (let tries = 0; tries < 200; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port }, () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** A syslog server of the system package, on TLS, that writes each message as a line of JSON. */
export async function startRsyslog(
  directory: string,
  port: number,
): Promise<Program & { readMessages: () => SyslogMessage[] }> {
  const output = join(directory, 'messages');
  const template =
    '{ "priority": "%pri%", "host": "%hostname%", "app": "%app-name%", "type": "%msgid%", "time": "%timereported:::date-rfc3339%", "text": "%msg:::json%" }\\n';
  const config = join(directory, 'rsyslog.conf');
  writeFileSync(
    config,
    `global(workDirectory="${directory}" maxMessageSize="64k" defaultNetstreamDriver="gtls"
  defaultNetstreamDriverCAFile="${directory}/certificate.pem" defaultNetstreamDriverCertFile="${directory}/certificate.pem"
  defaultNetstreamDriverKeyFile="${directory}/key.pem")
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="lines" type="string" string=${JSON.stringify(template).replaceAll('\\\\n', '\\n')})
ruleset(name="received") { action(type="omfile" file="${output}" template="lines") }
input(type="imtcp" port="${port}" address="127.0.0.1" ruleset="received")
`,
  );
  const program = startProgram('/usr/sbin/rsyslogd', ['-n', '-i', join(directory, 'pid'), '-f', config]);
  await waitForPort(port);
  return {
    ...program,
    readMessages: () =>
      (existsSync(output) ? readFileSync(output, 'utf8') : '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as SyslogMessage),
  };
}
export type SyslogMessage = { priority: string; host: string; app: string; type: string; time: string; text: string };

/** A receiver of JSON lines on this machine. It can stop reading, and reset its connections. */
export async function startLineReceiver(port = 0) {
  const lines: string[] = [];
  const open = new Set<Socket>();
  let isReading = true;
  const server: Server = createServer((socket) => {
    open.add(socket);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => lines.push(...Buffer.concat(chunks).toString('utf8').split('\n').filter(Boolean)));
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    if (!isReading) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    lines,
    setReading: (value: boolean) => {
      isReading = value;
    },
    close: async () => {
      for (const socket of open) socket.resetAndDestroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
