import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { chaos } from '../scenarios/chaos';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';

let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 500 });
});
afterEach(() => sim.close());

const lab = () => sim.cluster();
const api = (token = lab().tokens.manager) => client(lab().node('pve1'), token);
const web = '/nodes/pve1/qemu/100/config';
const dns = '/nodes/pve1/lxc/200/config';
const live = async (path: string) => (await api().get(`${path}?current=1`)).json.data;
const getNic = (vmid: number, name = 'net0') => lab().guest(vmid).config.current.get(name) ?? '';

describe('changing a NIC of a running virtual machine', () => {
  it('re-prints the value and makes the flag live immediately', async () => {
    const mac = /virtio=([0-9A-F:]+)/.exec(getNic(100))?.[1];
    const { digest } = await live(web);
    const answer = await api().put(web, {
      net0: `model=virtio,macaddr=${mac},tag=20,bridge=vmbr0,firewall=off`,
      digest,
    });
    expect([answer.status, answer.json]).toEqual([200, { data: null }]);
    expect((await live(web)).net0).toBe(`virtio=${mac},bridge=vmbr0,firewall=0,tag=20`);
  });

  it('invents a new address when none is sent', async () => {
    const before = getNic(100);
    await api().put(web, { net0: 'virtio,bridge=vmbr0,tag=20' });
    expect((await live(web)).net0).toMatch(/^virtio=BC:24:11:[0-9A-F:]{8},bridge=vmbr0,tag=20$/);
    expect((await live(web)).net0.slice(0, 24)).not.toBe(before.slice(0, 24));
  });

  it('refuses values with unknown keys, naming the NIC', async () => {
    const answer = await api().put(web, { net0: `${getNic(100)},nope=1` });
    expect(answer.status).toBe(400);
    expect(answer.json.errors.net0).toContain('invalid format - format error\nnet0.nope: property is not defined');
  });

  it('leaves the value pending when plugging fails', async () => {
    lab().guest(100).hotplugFailures.set('net0', 'unable to plug');
    const expected = getNic(100).replace(',firewall=1', ',firewall=0');
    const answer = await api().put(web, { net0: expected });
    expect([answer.status, answer.json.errors]).toEqual([400, { net0: 'hotplug problem - unable to plug' }]);
    expect((await live(web)).net0).toContain('firewall=1');
    expect((await api().get(web)).json.data.net0).toBe(expected);
    await api().put(web, { revert: 'net0' });
    expect((await api().get(web)).json.data.net0).toContain('firewall=1');
  });

  it('keeps a device change pending without network hot-plug', async () => {
    lab().setConfig(100, { hotplug: 'disk,usb' });
    await api().put(web, { net0: getNic(100).replace('virtio', 'e1000') });
    expect((await live(web)).net0).toContain('virtio=');
    expect((await api().get(web)).json.data.net0).toContain('e1000=');
    await api().put(web, { net0: getNic(100).replace('tag=20', 'tag=21') });
    expect((await live(web)).net0).toContain('tag=21');
  });

  it('checks the digest of the whole file', async () => {
    const { digest } = await live(web);
    lab()
      .guest(100)
      .editConfig(({ snapshots }) => snapshots.set('s1', new Map([['cores', '2']])));
    const answer = await api().put(web, { net0: getNic(100), digest });
    expect([answer.status, answer.reason]).toEqual([500, 'checksum mismatch (file change by other user?)']);
  });

  it('fails while the guest is locked; other writes succeed', async () => {
    lab().lockGuest(100, 'backup');
    expect((await api().put(web, { net0: getNic(100) })).reason).toBe('VM is locked (backup)');
    expect((await api().post('/nodes/pve1/qemu/100/firewall/rules', { type: 'in', action: 'DROP' })).status).toBe(200);
    // A day: at this speed a minute is shorter than a busy machine may take until the write arrives.
    lab().firewall.holdLock('/var/lock/qemu-server/lock-100.conf', 86_400_000);
    expect((await api().put(web, { net0: getNic(100) })).reason).toBe(
      "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout",
    );
  });

  it('needs the right to use both bridges', async () => {
    const { access } = lab().state;
    access.addRole('NoSdn', ['VM.Audit', 'VM.Config.Network']);
    const id = lab().tokens.guestManager.split('=')[0] ?? '';
    access.revoke(id);
    access.grant({ path: '/', subject: id, role: 'NoSdn', propagate: true });
    const answer = await api(lab().tokens.guestManager).put(web, {
      net0: getNic(100).replace('firewall=1', 'firewall=0'),
    });
    expect(answer.reason).toBe('Permission check failed (/sdn/zones/localnetwork/vmbr0/20, SDN.Use)');
    access.addRole('UseVlan20', ['SDN.Use']);
    for (const subject of [id, 'guests@pve']) {
      access.grant({ path: '/sdn/zones/localnetwork/vmbr0/20', subject, role: 'UseVlan20', propagate: false });
    }
    access.revoke('guests@pve', '/');
    access.grant({ path: '/', subject: 'guests@pve', role: 'Administrator', propagate: true });
    const moved = await api(lab().tokens.guestManager).put(web, { net0: getNic(100).replace('tag=20', 'tag=30') });
    expect(moved.reason).toBe('Permission check failed (/sdn/zones/localnetwork/vmbr0/30, SDN.Use)');
    const rules = await api(lab().tokens.guestManager).post('/nodes/pve1/qemu/100/firewall/rules', {
      type: 'in',
      action: 'DROP',
    });
    expect(rules.status).toBe(200);
  });

  it('asks for the zone of a VNet', async () => {
    const { access } = lab().state;
    access.addRole('NoSdn', ['VM.Audit', 'VM.Config.Network']);
    const id = lab().tokens.guestManager.split('=')[0] ?? '';
    access.revoke(id);
    access.grant({ path: '/', subject: id, role: 'NoSdn', propagate: true });
    const answer = await api(lab().tokens.guestManager).put('/nodes/pve1/qemu/103/config', { net0: getNic(103) });
    expect(answer.reason).toBe('Permission check failed (/sdn/zones/lab/apps, SDN.Use)');
  });
});

describe('other calls about a configuration', () => {
  it('need the privilege of the option', async () => {
    expect((await api().put(web, { tags: 'a;b' })).status).toBe(200);
    expect((await api().put(web, { cores: 4 })).reason).toBe('Permission check failed (/vms/100, VM.Config.CPU)');
    expect((await api().put(web, {})).reason).toBe('no options specified');
    expect((await api().put(web, { delete: 'nope' })).json.errors).toEqual({ delete: "unknown option 'nope'" });
    expect((await api(lab().tokens.root).put(web, { skiplock: 1, tags: 'x' })).json.errors).toEqual({
      skiplock: 'Only root may use this option.',
    });
  });

  it('return a task when asynchronous', async () => {
    const upid = (await api().post(web, { tags: 'later' })).json.data;
    expect(upid).toMatch(/^UPID:pve1:[0-9A-F]{8}:[0-9A-F]{8}:[0-9A-F]{8}:qmconfig:100:fabric@pve!fabric:$/);
    const path = `/nodes/pve1/tasks/${encodeURIComponent(upid)}/status`;
    const status = (await api().get(path)).json.data;
    expect(status).toMatchObject({ status: 'stopped', exitstatus: 'OK', user: 'fabric@pve', tokenid: 'fabric' });
    expect((await api(lab().tokens.empty).get(path)).status).toBe(403);
    expect((await api().get('/nodes/pve1/tasks/nonsense/status')).json.errors).toEqual({
      upid: 'unable to parse worker upid',
    });
    expect((await api().post(web, { tags: 'soon', background_delay: 5 })).json).toEqual({ data: null });
  });

  it('fail in the file system without quorum', async () => {
    lab().setQuorum(false);
    expect((await api().put(web, { tags: 'x' })).reason).toContain('Permission denied');
  });
});

describe('containers', () => {
  it('have their own digest and lock texts', async () => {
    expect((await api().put(dns, { net0: getNic(200), digest: 'a'.repeat(40) })).reason).toBe(
      'detected modified configuration - file changed by other user? Try again.',
    );
    lab().lockGuest(200, 'backup');
    expect((await api().put(dns, { net0: getNic(200) })).reason).toBe('CT is locked (backup)');
  });

  it('get a new address when none is sent and need a name', async () => {
    await api().put(dns, { net0: 'bridge=vmbr0,ip=dhcp,name=eth0,tag=22' });
    expect((await live(dns)).net0).toMatch(
      /^name=eth0,bridge=vmbr0,hwaddr=BC:24:11:[0-9A-F:]{8},ip=dhcp,tag=22,type=veth$/,
    );
    expect((await api().put(dns, { net0: 'bridge=vmbr0' })).json.errors.net0).toContain(
      'net0.name: property is missing',
    );
  });

  it('go back to the old wiring when plugging fails', async () => {
    const before = getNic(200);
    lab().guest(200).hotplugFailures.set('net0', 'veth busy');
    expect((await api().put(dns, { net0: before.replace('firewall=1', 'firewall=0') })).status).toBe(400);
    expect((await api().get(dns)).json.data.net0).toBe(before);
  });
});

describe('an older release', () => {
  it('does not know newer NIC keys and options', async () => {
    const old = await startSimulator({ scenario: chaos, timeScale: 500 });
    const alone = old.cluster('alone');
    const solo = client(alone.node('solo'), alone.tokens.root);
    const nic = alone.guest(100).config.current.get('net0');
    expect((await solo.put('/nodes/solo/qemu/100/config', { net0: `${nic},host-tunnel=1` })).status).toBe(400);
    expect((await solo.put('/nodes/solo/qemu/100/config', { 'allow-ksm': 1 })).status).toBe(400);
    expect((await solo.put('/nodes/solo/qemu/100/config', { net0: `${nic},mtu=1400` })).status).toBe(200);
    await old.close();
  });
});

describe('the life of a guest', () => {
  it('moves: locked while migrating, then missing at the old node', async () => {
    const move = lab().migrateSlowly(100, 'pve2', 200_000);
    expect((await api().put(web, { net0: getNic(100) })).reason).toBe('VM is locked (migrate)');
    await move;
    expect((await api().put(web, { net0: getNic(100) })).reason).toContain('does not exist');
    expect((await api().get('/nodes/pve1/qemu/100/firewall/rules')).status).toBe(200);
  });

  it('copies its firewall file, including markers, to the clone', async () => {
    await api().post('/nodes/pve1/qemu/100/firewall/rules', { type: 'in', action: 'DROP', comment: '[fabric g=100]' });
    lab().cloneGuest(100, 600, 'copy');
    expect(lab().firewall.guestFile(600)).toBe(lab().firewall.guestFile(100));
    expect(getNic(600)).not.toBe(getNic(100));
    expect(lab().guest(600).config.current.get('vmgenid')).not.toBe(lab().guest(100).config.current.get('vmgenid'));
  });

  it('goes back in time when a backup is restored', async () => {
    const backup = lab().backupGuest(100);
    await api().post('/nodes/pve1/qemu/100/firewall/rules', { type: 'in', action: 'DROP', comment: 'newer' });
    lab().restoreGuest(100, backup);
    expect(lab().firewall.guestFile(100)).not.toContain('newer');
  });

  it('ends with its firewall file, and the id may get another identity', () => {
    const identity = lab().guest(100).config.current.get('smbios1');
    lab().reuseVmid({ vmid: 100, type: 'qemu', node: 'pve1', name: 'stranger', nics: [{ bridge: 'vmbr0' }] });
    expect(lab().firewall.guestFile(100)).toBeUndefined();
    expect(lab().guest(100).config.current.get('smbios1')).not.toBe(identity);
  });
});
