import { readFileSync } from 'node:fs';
import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import { libc } from '../sys/libc';

/**
 * Whether flows are counted on this interface. Every packet of a guest crosses exactly one tap or veth; the firewall's
 * extra bridge and pair behind it would show the same packet again.
 */
export function isCaptureInterface(name: string): boolean {
  const kind = parseGuestInterface(name)?.kind;
  return kind === 'tap' || kind === 'veth';
}

/** Interfaces of guests that appeared or vanished; a re-created one has a new index and counts as both. */
export type InterfaceChanges = { added: Map<number, string>; removed: Map<number, string> };

/** Keeps the list of interfaces to capture on, by kernel index. */
export class InterfaceWatch {
  /** Index to name of the interfaces that currently exist. */
  readonly present = new Map<number, string>();
  /** Names by index, also of vanished ones, until `forget()`: their last flows are still to be attributed. */
  readonly names = new Map<number, string>();

  constructor(private readonly list: () => Map<number, string> = listCaptureInterfaces) {}

  /** Looks again. Cheap enough for every few seconds: one file and one call per guest interface. */
  scan(): InterfaceChanges {
    const now = this.list();
    const added = new Map<number, string>();
    const removed = new Map<number, string>();
    for (const [index, name] of this.present) if (now.get(index) !== name) removed.set(index, name);
    for (const [index, name] of now) if (this.present.get(index) !== name) added.set(index, name);
    for (const index of removed.keys()) this.present.delete(index);
    for (const [index, name] of added) {
      this.present.set(index, name);
      this.names.set(index, name);
    }
    return { added, removed };
  }

  /** Drops the names of vanished interfaces that `stillNeeded` does not ask for. */
  forget(stillNeeded: (index: number) => boolean): void {
    for (const index of this.names.keys()) {
      if (!this.present.has(index) && !stillNeeded(index)) this.names.delete(index);
    }
  }
}

/** Guest interfaces of this network namespace: kernel index to name. @throws when koffi is not available */
export function listCaptureInterfaces(): Map<number, string> {
  const found = new Map<number, string>();
  for (const line of readFileSync('/proc/self/net/dev', 'latin1').split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (colon < 0 || !isCaptureInterface(name)) continue;
    const index = libc().if_nametoindex(name);
    if (index > 0) found.set(index, name);
  }
  return found;
}
