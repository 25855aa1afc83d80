import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';

/**
 * Whether flows are counted on this interface. Every packet of a guest crosses exactly one tap or veth; the firewall's
 * extra bridge and pair behind it would show the same packet again.
 */
export function isCaptureInterface(name: string): boolean {
  const kind = parseGuestInterface(name)?.kind;
  return kind === 'tap' || kind === 'veth';
}
