import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';

let sim: Simulator;
const start = async (timeScale: number) => {
  sim = await startSimulator({ scenario: smallLab, timeScale });
};
beforeEach(() => start(500));
afterEach(() => sim.close());

const lab = () => sim.cluster();
const api = (token = lab().tokens.manager) => client(lab().node('pve1'), token);
const guest = '/nodes/pve1/qemu/103/firewall';
const rule = (comment: string, more = {}) => ({ type: 'in', action: 'ACCEPT', enable: 1, comment, ...more });
const list = async (path = `${guest}/rules`) => (await api().get(path)).json.data;
const comments = async () => (await list()).map((entry: { comment?: string }) => entry.comment);

describe('rules of a guest', () => {
  it('go to the top, whatever position and digest are sent', async () => {
    await api().post(`${guest}/rules`, rule('a'));
    const answer = await api().post(`${guest}/rules`, rule('b', { pos: 5, digest: 'wrong' }));
    expect([answer.status, answer.json]).toEqual([200, { data: null }]);
    expect(await comments()).toEqual(['b', 'a']);
    expect((await list()).map((entry: { pos: number }) => entry.pos)).toEqual([0, 1]);
  });

  it('stay disabled unless enable is sent', async () => {
    await api().post(`${guest}/rules`, { type: 'in', action: 'DROP' });
    await api().post(`${guest}/rules`, rule('x', { enable: 5 }));
    expect((await list()).map((entry: { enable: number }) => entry.enable)).toEqual([1, 0]);
  });

  it('refuse what the parser of the product refuses', async () => {
    const errors = async (fields: object) =>
      (await api().post(`${guest}/rules`, { ...rule('x'), ...fields })).json.errors;
    expect(await errors({ proto: 'tcp/udp' })).toEqual({ proto: "invalid format - unknown protocol 'tcp/udp'\n" });
    expect(await errors({ dport: '22' })).toEqual({ proto: "missing property - 'dport' requires this property" });
    expect(await errors({ source: '10.0.0.5/24' })).toEqual({
      source: 'invalid format - invalid IP address: Invalid prefix 00001010000000000000000000000101/24\n',
    });
    expect(await errors({ source: `10.0.0.1${',10.0.0.1'.repeat(60)}` })).toEqual({
      source: 'value may only be 512 characters long',
    });
    expect(await errors({ type: 'forward' })).toEqual({ type: "invalid rule type 'forward' for rule_env 'vm'" });
    expect(await errors({ action: 'accept' })).toEqual({ action: "unknown action 'accept'" });
    expect(await errors({ source: '+Management' })).toEqual({ source: "no such ipset 'Management'" });
    expect(await errors({ log: '' })).toEqual({
      log: "value '' does not have a value in the enumeration 'emerg, alert, crit, err, warning, notice, info, debug, nolog'",
    });
    expect(await list()).toEqual([]);
  });

  it('keep other fields on update; fields are removed by name or by empty value', async () => {
    await api().post(`${guest}/rules`, rule('x', { proto: 'tcp', dport: '22', log: 'info', iface: 'net0' }));
    await api().put(`${guest}/rules/0`, { dport: '23' });
    expect((await list())[0]).toMatchObject({ comment: 'x', dport: '23', log: 'info' });
    await api().put(`${guest}/rules/0`, { delete: 'log,iface', comment: '' });
    const [left] = await list();
    expect([left.log, left.iface, left.comment, left.dport]).toEqual([undefined, undefined, undefined, '23']);
    const answer = await api().put(`${guest}/rules/0`, { delete: 'action' });
    expect(answer.json.errors).toEqual({ delete: "unable to delete required property 'action'" });
  });

  it('move by the old numbering and ignore other fields then', async () => {
    for (const name of ['d', 'c', 'b', 'a']) await api().post(`${guest}/rules`, rule(name));
    await api().put(`${guest}/rules/0`, { moveto: 3, comment: 'ignored' });
    expect(await comments()).toEqual(['b', 'c', 'a', 'd']);
    await api().put(`${guest}/rules/0`, { moveto: 1 });
    expect(await comments()).toEqual(['b', 'c', 'a', 'd']);
    await api().put(`${guest}/rules/0`, { moveto: 99 });
    expect(await comments()).toEqual(['c', 'a', 'd', 'b']);
    await api().put(`${guest}/rules/1`, { moveto: 1, comment: 'A' });
    expect(await comments()).toEqual(['c', 'A', 'd', 'b']);
  });

  it('check the digest of updates and deletions when it is given', async () => {
    await api().post(`${guest}/rules`, rule('a'));
    const [{ digest }] = await list();
    await api().post(`${guest}/rules`, rule('b'));
    for (const answer of [
      await api().put(`${guest}/rules/0`, { comment: 'x', digest }),
      await api().delete(`${guest}/rules/0?digest=${digest}`),
    ]) {
      expect([answer.status, answer.reason]).toEqual([
        500,
        'detected modified configuration - file changed by other user? Try again.',
      ]);
    }
    expect((await api().delete(`${guest}/rules/0`)).status).toBe(200);
    expect(await comments()).toEqual(['a']);
    expect((await api().delete(`${guest}/rules/7`)).reason).toBe('no rule at position 7');
  });

  it('fail with a runtime error when there is no file to delete from', async () => {
    const answer = await api().delete(`${guest}/rules/0`);
    expect(answer.status).toBe(500);
    expect(answer.reason).toContain("Can't use an undefined value as an ARRAY reference");
  });

  it('create an orphan file for a guest that does not exist, which its successor inherits', async () => {
    expect((await api().post('/nodes/pve1/qemu/777/firewall/rules', rule('orphan'))).status).toBe(200);
    lab().createGuest({ vmid: 777, type: 'lxc', node: 'pve3', name: 'heir', nics: [] });
    expect(await list('/nodes/pve3/lxc/777/firewall/rules')).toHaveLength(1);
  });

  it('lose unreadable lines at the next write', async () => {
    lab().firewall.setFile('firewall/103.fw', '[RULES]\n\nIN ACCEPT\nsome nonsense\nIN DROP -p tcp -strange 1\n');
    expect(await list()).toHaveLength(1);
    expect(lab().firewall.guestFile(103)).toContain('nonsense');
    await api().post(`${guest}/rules`, rule('new'));
    expect(lab().firewall.guestFile(103)).toBe('[RULES]\n\nIN ACCEPT # new\nIN ACCEPT\n\n');
  });

  it('keep a rule whose alias is gone, with an error, and refuse to update it', async () => {
    const alias = '/nodes/pve1/qemu/103/firewall/aliases';
    await api().post(alias, { name: 'Backup', cidr: '10.0.0.0/24' });
    await api().post(`${guest}/rules`, rule('x', { source: 'guest/backup' }));
    expect((await list())[0].ipversion).toBe(4);
    await api().delete(`${alias}/backup`);
    expect((await list())[0].errors).toEqual({ source: "no such alias 'guest/backup'" });
    expect((await api().put(`${guest}/rules/0`, { comment: 'y' })).status).toBe(400);
  });

  it('disappear with the file when the last one is deleted', async () => {
    await api().post(`${guest}/rules`, rule('a'));
    await api().delete(`${guest}/rules/0`);
    expect(lab().firewall.guestFile(103)).toBeUndefined();
  });
});

describe('options', () => {
  it('keep other values on update, delete first, and have their own digest', async () => {
    await api().put(`${guest}/options`, { enable: 1, policy_in: 'REJECT' });
    const { digest } = (await api().get(`${guest}/options`)).json.data;
    await api().post(`${guest}/rules`, rule('a'));
    expect((await api().get(`${guest}/options`)).json.data.digest).toBe(digest);
    await api().put(`${guest}/options`, { delete: 'policy_in,enable', enable: 1, digest });
    expect((await api().get(`${guest}/options`)).json.data).toMatchObject({ enable: 1 });
    expect((await api().put(`${guest}/options`, { enable: 0, digest })).status).toBe(500);
    expect((await api().put(`${guest}/options`, { delete: 'nope' })).json.errors).toEqual({
      delete: "no such option 'nope'",
    });
  });

  it('have a trial mode of sixty seconds for the cluster', async () => {
    await api().put('/cluster/firewall/options', { enable: 2 });
    expect((await api().get('/cluster/firewall/options')).json.data.enable).toBeGreaterThan(1_000_000_000);
    await sim.clock.advance(62_000);
    expect((await api().get('/cluster/firewall/options')).json.data.enable).toBe(0);
  });
});

describe('sets, aliases and groups', () => {
  it('normalize set entries and refuse a zero prefix', async () => {
    await api().post(`${guest}/ipset`, { name: 'Peers', comment: 'x' });
    expect((await api().get(`${guest}/ipset`)).json.data[0].name).toBe('peers');
    expect((await api().post(`${guest}/ipset/Peers`, { cidr: '10.0.0.1' })).reason).toBe("no such IPSet 'Peers'");
    for (const cidr of ['10.9.9.9/8', '10.0.0.1/32', '2001:db8::1/128']) {
      expect((await api().post(`${guest}/ipset/peers`, { cidr })).status).toBe(200);
    }
    const entries = (await api().get(`${guest}/ipset/peers`)).json.data;
    expect(entries.map((entry: { cidr: string }) => entry.cidr)).toEqual(['10.0.0.0/8', '10.0.0.1', '2001:db8::1']);
    expect((await api().post(`${guest}/ipset/peers`, { cidr: '0.0.0.0/0' })).json.errors).toEqual({
      cidr: 'a zero prefix is not allowed in ipset entries',
    });
    expect((await api().post(`${guest}/ipset/peers`, { cidr: '10.1.1.1/8' })).json.errors).toEqual({
      cidr: "address '10.0.0.0/8' already exists",
    });
    await api().put(`${guest}/ipset/peers/10.0.0.0%2F8`, { nomatch: 1, comment: 'not these' });
    expect((await api().get(`${guest}/ipset/peers/10.0.0.0/8`)).json.data).toMatchObject({ nomatch: 1 });
    expect((await api().delete(`${guest}/ipset/peers`)).reason).toBe("IPSet 'peers' is not empty");
    expect((await api().delete(`${guest}/ipset/peers/192.0.2.1`)).status).toBe(200);
    expect((await api().delete(`${guest}/ipset/peers?force=1`)).status).toBe(200);
  });

  it('look aliases up without case and replace their comment', async () => {
    const aliases = '/cluster/firewall/aliases';
    expect((await api().get(`${aliases}/OFFICE`)).json.data).toMatchObject({ name: 'office', comment: 'head office' });
    await api().put(`${aliases}/office`, { cidr: '198.51.100.0/24', rename: 'HQ' });
    expect((await api().get(`${aliases}/hq`)).json.data).toEqual({ name: 'HQ', cidr: '198.51.100.0/24', ipversion: 4 });
    expect((await api().get(`${aliases}/office`)).json.errors).toEqual({ name: 'no such alias' });
    expect((await api().delete(`${aliases}/never-existed`)).status).toBe(200);
  });

  it('delete a group only when it is empty, and rename it in every file', async () => {
    const groups = '/cluster/firewall/groups';
    expect((await api().delete(`${groups}/web`)).reason).toBe("Security group 'web' is not empty");
    await api().post(groups, { group: 'front', rename: 'web' });
    expect(lab().firewall.guestFile(100)).toContain('GROUP front');
    await api().post(groups, { group: 'empty-one' });
    expect((await api().post(`${groups}/empty-one`, { type: 'group', action: 'front' })).json.errors).toEqual({
      type: 'security groups not allowed',
    });
    expect((await api().delete(`${groups}/empty-one`)).status).toBe(200);
    expect((await api().get(`${groups}/empty-one`)).reason).toBe("no such security group 'empty-one'");
  });

  it('need rights on the cluster that guest managers lack', async () => {
    const answer = await api(lab().tokens.guestManager).post('/cluster/firewall/groups', { group: 'mine' });
    expect(answer.reason).toBe('Permission check failed (/, Sys.Modify)');
    expect((await api(lab().tokens.guestManager).post(`${guest}/ipset`, { name: 'mine' })).status).toBe(200);
  });
});

describe('locks', () => {
  it('make writers wait, and time out after ten seconds', async () => {
    // The proxy times out after thirty seconds: a busy machine must not stretch these ten seconds to that.
    await sim.close();
    await start(25);
    lab().firewall.holdLock('firewall-vm-103', 3000);
    const before = sim.clock.now();
    expect((await api().post(`${guest}/rules`, rule('a'))).status).toBe(200);
    expect(sim.clock.now() - before).toBeGreaterThanOrEqual(3000);
    lab().firewall.holdLock('firewall-vm-103', 60_000);
    expect((await api().post(`${guest}/rules`, rule('b'))).reason).toBe(
      "cfs-lock 'firewall-vm-103' error: got lock request timeout",
    );
  });

  it('fail without quorum', async () => {
    lab().setQuorum(false);
    expect((await api().put(`${guest}/options`, { enable: 1 })).reason).toBe(
      "cfs-lock 'firewall-vm-103' error: no quorum!",
    );
    lab().setQuorum(true);
    expect((await api().put(`${guest}/options`, { enable: 1 })).status).toBe(200);
  });
});

describe('the firewall log', () => {
  const line = (second: number, vmid: number) =>
    `${vmid} 6 tap${vmid}i0-IN 21/Nov/2026:10:00:${String(second).padStart(2, '0')} +0100 policy DROP: IN=fwbr100i0 SRC=10.0.0.7 DST=10.0.0.5 LEN=60 PROTO=TCP SPT=1 DPT=23 `;
  const read = async (path: string) => (await api().get(path)).json;

  it('starts at the oldest line, fifty at a time, and filters guests by prefix', async () => {
    expect(await read('/nodes/pve1/qemu/100/firewall/log')).toEqual({ data: [{ n: 1, t: 'no content' }], total: 0 });
    lab().firewall.appendLog('pve1', ...Array.from({ length: 55 }, (_, second) => line(second, 100)), line(59, 0));
    const page = await read('/nodes/pve1/qemu/100/firewall/log');
    expect([page.data.length, page.total, page.data[0].n]).toEqual([50, 55, 1]);
    expect((await read('/nodes/pve1/firewall/log?limit=0')).data).toHaveLength(56);
    expect((await read('/nodes/pve1/firewall/log?start=54&limit=1')).data[0].t).toBe(line(54, 100));
  });

  it('looks into rotated files only with a time filter', async () => {
    lab().firewall.appendLog('pve1', line(1, 100), line(30, 100));
    lab().firewall.rotateLog('pve1');
    expect((await read('/nodes/pve1/firewall/log')).data[0].t).toBe('no content');
    const since = Date.UTC(2026, 10, 21, 9, 0, 20) / 1000;
    expect((await read(`/nodes/pve1/firewall/log?since=${since}`)).data).toEqual([{ n: 1, t: line(30, 100) }]);
  });
});
