import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hypervisorEditSchema } from '@fabric/agent-contract';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAccessLine } from './access-line';
import { AccessLog } from './access-log';
import { isLogPositions } from './log-positions';

const NOON = Date.UTC(2026, 10, 27, 12, 0, 0);
const RULE = '/api2/extjs/nodes/pve1/qemu/100/firewall/rules/0';

function line({
  user = 'root@pam',
  time = '12:00:00 +0000',
  request = `PUT ${RULE} HTTP/1.1`,
  status = '200',
  size = '13',
} = {}) {
  const [clock, zone] = time.split(' ');
  return `::ffff:10.0.0.1 - ${user} [27/11/2026:${clock} ${zone}] "${request}" ${status} ${size}`;
}
const edit = { at: '2026-11-27T12:00:00.000Z', user: 'root@pam', method: 'PUT', object: 'guest_firewall', vmid: 100 };

describe('parseAccessLine', () => {
  it.each([
    [line(), edit],
    [line({ user: 'ops@pve!terraform', time: '13:30:00 +0130' }), { ...edit, user: 'ops@pve!terraform' }],
    [line({ request: `DELETE ${RULE}?digest=ab HTTP/1.1`, size: '-' }), { ...edit, method: 'DELETE' }],
    [
      line({ request: 'POST /api2/json/nodes/pve1/lxc/7/config HTTP/1.1' }),
      { ...edit, method: 'POST', object: 'guest_config', vmid: 7 },
    ],
    [line({ request: 'PUT /api2/json/nodes/pve1/qemu/100/%66irewall/options HTTP/1.1' }), edit],
    [
      line({ request: 'PUT /api2/json/cluster/firewall/options HTTP/1.1' }),
      { ...edit, object: 'cluster_firewall', vmid: undefined },
    ],
  ])('reads %s', (text, expected) => {
    const found = parseAccessLine(text);
    expect(found).toEqual(expected);
    expect(hypervisorEditSchema.safeParse(found).success).toBe(true);
  });

  it.each([
    ['a read', line({ request: `GET ${RULE} HTTP/1.1` })],
    ['a failure', line({ status: '403' })],
    ['a request without a user', line({ user: '-' })],
    ['a user without a realm', line({ user: 'root' })],
    ['another path', line({ request: 'POST /api2/json/nodes/pve1/qemu/100/status/start HTTP/1.1' })],
    ['a path below the configuration', line({ request: 'PUT /api2/json/nodes/pve1/qemu/100/config/x HTTP/1.1' })],
    ['a path that only contains one', line({ request: `PUT /x${RULE} HTTP/1.1` })],
    ['the firewall of a node', line({ request: 'POST /api2/json/nodes/pve1/firewall/rules HTTP/1.1' })],
    ['VMID 0', line({ request: 'PUT /api2/json/nodes/pve1/qemu/0/config HTTP/1.1' })],
    ['a broken escape', line({ request: 'PUT /api2/json/cluster/firewall/%E0%A4%A HTTP/1.1' })],
    ['a day that does not exist', line().replace('27/11', '31/11')],
    // The request line is the client's: it cannot say who it was, or that it succeeded.
    ['a request that quotes a line', line({ request: `PUT ${RULE} HTTP/1.1" 200 5 "x`, status: '401' })],
    [
      'a request with a user',
      line({ user: '-', request: `x - root@pam [27/11/2026:12:00:00 +0000] "PUT ${RULE} HTTP/1.1` }),
    ],
  ])('skips %s', (_, text) => expect(parseAccessLine(text)).toBeNull());

  it('answers what the contract accepts, or nothing, whatever a line is', () => {
    const word = fc.oneof(fc.string(), fc.constantFrom('root@pam', 'a@b!c', '"', ' ', `PUT ${RULE} HTTP/1.1`));
    const nasty = fc.record({ user: word, request: word, status: word, size: word }).map(line);
    fc.assert(
      fc.property(fc.oneof(fc.string(), nasty), (text) => {
        const found = parseAccessLine(text);
        expect(found === null || hypervisorEditSchema.safeParse(found).success).toBe(true);
      }),
    );
  });
});

describe('AccessLog', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-access-'));
    file = join(directory, 'access.log');
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const open = (saved: AccessLog['position'] = null, path: string | null = file) =>
    new AccessLog(path, saved, () => NOON);
  const at = (time: string, user: string) => `${line({ time: `${time} +0000`, user })}\n`;
  const users = (log: AccessLog) => log.take()?.map(({ user }) => user);

  it('follows the log through rotation and a restart, each edit once, and skips what is old', () => {
    writeFileSync(file, at('11:30:00', 'old@pam') + at('11:59:00', 'a@pam'));
    const first = open();
    expect(users(first)).toEqual(['a@pam']);
    appendFileSync(file, `${line({ request: 'GET / HTTP/1.1' })}\n${at('12:00:00', 'b@pam')}`);
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, at('12:00:01', 'c@pam'));
    writeFileSync(file, at('12:00:02', 'd@pam'));
    expect(users(first)).toEqual(['b@pam', 'c@pam', 'd@pam']);
    const { position } = first;
    first.close();
    expect(isLogPositions({ kernel: null, file: null, access: position })).toBe(true);
    appendFileSync(file, at('12:00:03', 'e@pam'));
    const second = open(position);
    expect(users(second)).toEqual(['e@pam']);
    expect(users(second)).toEqual([]);
    second.close();
  });

  it('reads new lines after a clock that was ahead is put back', () => {
    writeFileSync(file, '');
    let now = NOON + 6 * 3_600_000;
    const log = new AccessLog(file, null, () => now);
    log.poll();
    now = NOON;
    appendFileSync(file, at('12:00:00', 'a@pam'));
    expect(users(log)).toEqual(['a@pam']);
    log.close();
  });

  it('keeps the newest hundred of a flood', () => {
    writeFileSync(file, '');
    const log = open();
    log.poll();
    appendFileSync(file, Array.from({ length: 150 }, (_, n) => at('12:00:00', `u${n}@pam`)).join(''));
    expect(users(log)).toEqual(Array.from({ length: 100 }, (_, n) => `u${n + 50}@pam`));
    log.close();
  });

  it('reads nothing when it is off or not permitted, and says so', () => {
    expect(open(null, null).take()).toBeNull();
    // A file in place of the directory fails for root, too, who may read everything.
    writeFileSync(file, '');
    const denied = open(null, join(file, 'access.log'));
    expect(denied.take()).toBeNull();
    expect(denied.position).toBeNull();
    denied.close();
  });
});
