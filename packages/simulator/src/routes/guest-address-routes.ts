import { PveError } from '../pve-error';
import { common } from '../schema/formats';
import type { ContainerInterface, Guest } from '../state/guest';
import { loadGuest, VM_AUDIT } from './guest-read-routes';
import type { Call, Route } from './route';

const PING_TIMEOUT = 3_000;
const COMMAND_TIMEOUT = 5_000;

/** Asks the guest agent; the daemon worker is blocked while it waits. */
async function agentInterfaces(call: Call): Promise<unknown> {
  const guest = loadGuest(call, 'qemu');
  const { clock, version } = call.cluster;
  const agentOption = guest.config.current.get('agent');
  if (agentOption === undefined) throw new PveError(500, 'No QEMU guest agent configured');
  if (!guest.isRunning) throw new PveError(500, `VM ${guest.vmid} is not running`);

  const behavior = guest.agent;
  const booting = behavior.kind === 'ok' && clock.now() - guest.startedAt < (behavior.readyAfter ?? 0);
  const disabled = /^(0|off|no|false|enabled=(0|off|no|false))(,|$)/i.test(agentOption);
  const silent = async (): Promise<never> => {
    await clock.sleep(PING_TIMEOUT);
    throw new PveError(500, 'QEMU guest agent is not running');
  };
  if (booting || disabled || guest.state !== 'running') return silent();
  const command = version.major >= 9 ? 'qga command' : 'qmp command';
  const failure = (text: string) =>
    new PveError(500, `VM ${guest.vmid} ${command} 'guest-network-get-interfaces' failed - ${text}`);
  switch (behavior.kind) {
    case 'not-running':
      return silent();
    case 'timeout':
      await clock.sleep(COMMAND_TIMEOUT);
      throw failure('got timeout');
    case 'hung':
      await clock.sleep(PING_TIMEOUT + COMMAND_TIMEOUT);
      throw failure('got timeout');
    case 'disconnect':
      throw failure('client closed connection');
    case 'error':
      return { result: { error: { class: behavior.class, desc: behavior.desc } } };
    case 'raw':
      return { result: behavior.result };
    case 'ok':
      return { result: behavior.interfaces };
  }
}

function containerInterface(guest: Guest, entry: ContainerInterface): Record<string, unknown> {
  const last = (family: 'inet' | 'inet6') => entry.addresses.findLast((address) => address.family === family);
  const inet = last('inet');
  const inet6 = last('inet6');
  return {
    name: entry.name,
    hwaddr: entry.hwaddr,
    'hardware-address': entry.hwaddr,
    ...(inet && { inet: `${inet.address}/${inet.prefix}` }),
    ...(inet6 && { inet6: `${inet6.address}/${inet6.prefix}` }),
    'ip-addresses': guest.emptyIpAddresses
      ? []
      : entry.addresses.map(({ family, address, prefix }) => ({
          'ip-address-type': family,
          'ip-address': address,
          prefix,
        })),
  };
}

export const guestAddressRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces',
    params: { node: common.node, vmid: common.vmid },
    permission: {
      path: '/vms/{vmid}',
      anyOf: (major) => (major >= 9 ? ['VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted'] : ['VM.Monitor']),
    },
    proxied: true,
    handledBy: 'pvedaemon',
    meter: 'agent',
    handle: agentInterfaces,
  },
  {
    method: 'GET',
    pattern: '/nodes/{node}/lxc/{vmid}/interfaces',
    params: { node: common.node, vmid: common.vmid },
    permission: VM_AUDIT,
    proxied: true,
    handledBy: 'pvedaemon',
    handle: (call) => {
      const guest = loadGuest(call, 'lxc');
      return guest.isRunning ? guest.interfaces.map((entry) => containerInterface(guest, entry)) : null;
    },
  },
];
