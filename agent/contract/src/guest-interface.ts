/** How Proxmox VE names the interfaces of guests on a node. */
export type GuestInterface = {
  kind: 'tap' | 'veth' | 'fwln' | 'fwpr' | 'fwbr';
  vmid: number;
  nic: number;
};

const PATTERN = /^(tap|veth|fwbr|fwln|fwpr)([1-9]\d{0,8})([iop])(\d{1,2})$/;

/** Letters between guest and NIC number: fwpr uses p, Open vSwitch's internal port fwln uses o. */
const LETTERS: Record<GuestInterface['kind'], string> = { tap: 'i', veth: 'i', fwbr: 'i', fwln: 'io', fwpr: 'p' };

/** Guest and NIC of an interface name such as `tap100i0`; null for other names. */
export function parseGuestInterface(name: string): GuestInterface | null {
  const match = PATTERN.exec(name);
  if (!match) return null;
  const [, kind, vmid, letter, nic] = match as unknown as [string, GuestInterface['kind'], string, string, string];
  if (!LETTERS[kind].includes(letter)) return null;
  return { kind, vmid: Number(vmid), nic: Number(nic) };
}
