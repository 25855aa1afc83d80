import type { ClusterState } from '../state/cluster-state';

/** Rule lines as in the file, entries by name of the set, options other than `enable`. */
export type DormantContent = {
  rules?: readonly string[];
  sets?: Readonly<Record<string, readonly string[]>>;
  options?: Readonly<Record<string, string | number>>;
};

/** Firewall files of a cluster, edited directly instead of through the API. */
export class FirewallControl {
  readonly #cluster: ClusterState;

  constructor(cluster: ClusterState) {
    this.#cluster = cluster;
  }

  /** Text of a file below the cluster file system, for example `firewall/cluster.fw`; undefined when it is missing. */
  file(path: string): string | undefined {
    return this.#cluster.files.get(path);
  }

  guestFile(vmid: number): string | undefined {
    return this.file(`firewall/${vmid}.fw`);
  }

  /** Replaces a file; `undefined` removes it. */
  setFile(path: string, text: string | undefined): void {
    this.#cluster.change(() => {
      if (text === undefined) this.#cluster.files.delete(path);
      else this.#cluster.files.set(path, text);
    });
  }

  /** Inserts a stored rule line (`IN ACCEPT -p tcp -dport 22 # by hand`) into a guest's list. */
  insertRule(vmid: number, line: string, position = 0): void {
    const path = `firewall/${vmid}.fw`;
    const lines = (this.file(path) ?? '').split('\n');
    let header = lines.findIndex((text) => /^\[rules\]$/i.test(text.trim()));
    if (header < 0) {
      lines.push('[RULES]', '');
      header = lines.length - 2;
    }
    const end = lines.findIndex((text, index) => index > header && text.startsWith('['));
    const last = end < 0 ? lines.length : end;
    const rules = Array.from({ length: last - header - 1 }, (_, index) => header + 1 + index).filter(
      (index) => lines[index]?.trim() !== '' && !lines[index]?.startsWith('#'),
    );
    lines.splice(rules[position] ?? (rules.at(-1) ?? header) + 1, 0, line);
    this.setFile(path, lines.join('\n'));
  }

  /** Replaces what is stored for a guest by content that a firewall which is off keeps for later. */
  storeDormant(vmid: number, { rules = [], sets = {}, options = {} }: DormantContent): void {
    const section = (name: string, lines: readonly string[]) =>
      lines.length > 0 ? `[${name}]\n\n${lines.join('\n')}\n\n` : '';
    const stored = Object.entries({ ...options, enable: 0 }).map(([name, value]) => `${name}: ${value}`);
    const sections = Object.entries(sets).map(([name, entries]) => section(`IPSET ${name}`, entries));
    this.setFile(`firewall/${vmid}.fw`, section('OPTIONS', stored) + sections.join('') + section('RULES', rules));
  }

  /** The file reads as empty for one call of the API, as while another writer is replacing it. */
  readEmptyOnce(path: string): void {
    this.#cluster.emptyReads.add(path);
  }

  /** Takes a lock (`firewall-vm-100`, `firewall-cluster`) for a while, as another writer would. */
  holdLock(name: string, ms: number): void {
    this.#cluster.locks.hold(name, ms);
  }

  appendLog(node: string, ...lines: string[]): void {
    this.#log(node).current.push(...lines);
  }

  /** The daily rotation: lines so far are only found with a time filter. */
  rotateLog(node: string): void {
    const log = this.#log(node);
    log.rotated.push(...log.current.splice(0));
  }

  #log(node: string) {
    const found = this.#cluster.nodes.get(node);
    if (!found) throw new Error(`no node ${node} in ${this.#cluster.name}`);
    return found.firewallLog;
  }
}
