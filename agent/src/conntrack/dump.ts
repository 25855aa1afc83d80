import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { NETLINK_REQUEST, NetlinkSocket } from '../netlink/socket';
import type { EntryCursor } from './entry';
import { NetlinkEntry } from './netlink-entry';
import { TextEntry } from './text-entry';

/** Shows every tracked connection once; `visit` must not keep the cursor. */
export type ConntrackDump = (visit: (entry: EntryCursor) => void) => Promise<void>;

// NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET; the variant that resets counters (3) is never used.
const GET_CONNTRACK = 0x0101;
const AF_UNSPEC = 0;
/** Receive calls (32 KB each) between two turns of the event loop: about two milliseconds. */
const CALLS_PER_TURN = 12;
const PROC_FILE = '/proc/self/net/nf_conntrack';
const CLI_TIMEOUT_MILLISECONDS = 20_000;

/** Asks the kernel directly. @throws Error without koffi, SystemCallError (EPERM without CAP_NET_ADMIN) */
export const dumpByNetlink: ConntrackDump = async (visit) => {
  const socket = new NetlinkSocket();
  try {
    const entry = new NetlinkEntry(socket.buffer);
    const take = (start: number, end: number): void => {
      entry.read(start, end);
      visit(entry);
    };
    socket.request(GET_CONNTRACK, NETLINK_REQUEST.dump, AF_UNSPEC);
    for (let calls = 1; socket.receive(take); calls += 1) if (calls % CALLS_PER_TURN === 0) await setImmediate();
  } finally {
    socket.close();
  }
};

/** Runs the conntrack tool, for both families. @throws when it is missing or fails */
export function dumpByCommand(path: string): ConntrackDump {
  return async (visit) => {
    for (const family of ['ipv4', 'ipv6']) {
      const child = spawn(path, ['-L', '-o', 'extended', '-f', family], {
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: CLI_TIMEOUT_MILLISECONDS,
      });
      const ended = new Promise<void>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${path} ended with ${code}`))));
      });
      await Promise.all([readLines(child.stdout, visit), ended]);
    }
  };
}

/** Reads the kernel's text file: root only, and absent on kernels built without it. @throws when it cannot be read */
export const dumpByFile: ConntrackDump = (visit) => readLines(createReadStream(PROC_FILE), visit);

async function readLines(stream: Readable, visit: (entry: EntryCursor) => void): Promise<void> {
  const entry = new TextEntry();
  // An error of the stream does not reach the loop over lines by itself.
  const failed = new Promise<never>((_, reject) => {
    stream.once('error', reject);
  });
  failed.catch(() => undefined);
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  const read = (async () => {
    for await (const line of lines) if (entry.read(line)) visit(entry);
  })();
  await Promise.race([read, failed]);
}
