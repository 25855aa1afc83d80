import { readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EnforcementReport, NicEnforcement } from '@fabric/agent-contract';
import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import type { Ruleset } from '../ruleset/ruleset-reader';
import { errnoCode } from '../sys/errno';

const VERSION = 1;
const CLASS = 'sys/class/net';

/** The bridge that an interface is a port of; null: none. Nothing where it cannot be read. */
function readBridge(root: string, name: string): Pick<NicEnforcement, 'bridge'> {
  try {
    return { bridge: basename(readlinkSync(join(root, CLASS, name, 'master'))).slice(0, 64) };
  } catch (error) {
    return errnoCode(error) === 'ENOENT' ? { bridge: null } : {};
  }
}

function listInterfaces(root: string): string[] {
  try {
    return readdirSync(join(root, CLASS));
  } catch {
    return [];
  }
}

/**
 * Whether the hypervisor's firewall is attached to the interfaces of guests: those that exist, and those that rules are loaded for.
 * @param root directory that `sys` is looked for in, `/` on a node
 */
export function readEnforcement(
  { firewallHash, attached }: Pick<Ruleset, 'firewallHash' | 'attached'>,
  root = '/',
): EnforcementReport {
  const present = new Set(listInterfaces(root));
  const names = [...new Set([...present, ...(attached ?? [])])].sort();
  return {
    version: VERSION,
    ruleset_hash: firewallHash,
    interfaces: names.flatMap((name): NicEnforcement[] => {
      const guest = parseGuestInterface(name);
      if (guest?.kind !== 'tap' && guest?.kind !== 'veth') return [];
      const isPresent = present.has(name);
      return [
        {
          interface: name,
          vmid: guest.vmid,
          nic: guest.nic,
          present: isPresent,
          ...(isPresent ? readBridge(root, name) : { bridge: null }),
          chains: attached === null ? null : attached.has(name),
        },
      ];
    }),
  };
}
