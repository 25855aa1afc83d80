import { FILE_SCOPES, type FirewallFile, parseFirewallFile } from '../firewall/firewall-file';
import type { GuestType } from '../schema/guest-nic';

type ParsedGuest = { text: string | undefined; file: FirewallFile; skipped: string[] };

/**
 * Files a node's firewall service has parsed, kept until their text changes: a large cluster compiles every few virtual
 * seconds. The API parses its answers on every call, see `routes/firewall-scope.ts`.
 */
export class ParsedFiles {
  #clusterText: string | undefined;
  #sdnKey = '';
  #sdnSets: ReadonlySet<string> = new Set();
  #datacenter: FirewallFile | undefined;
  readonly #guests = new Map<number, ParsedGuest>();

  /** Parsed cluster file, and a reader for guest files that refer to it. */
  forFiles(clusterText: string, sdnSets: ReadonlySet<string>) {
    const sdnKey = [...sdnSets].join(',');
    if (clusterText !== this.#clusterText || sdnKey !== this.#sdnKey || !this.#datacenter) {
      this.#clusterText = clusterText;
      this.#sdnKey = sdnKey;
      this.#sdnSets = sdnSets;
      this.#datacenter = parseFirewallFile(clusterText, FILE_SCOPES.cluster, { sdnSets });
      this.#guests.clear();
    }
    const datacenter = this.#datacenter;
    const guest = (vmid: number, type: GuestType, text: string | undefined): ParsedGuest => {
      const known = this.#guests.get(vmid);
      if (known && known.text === text) return known;
      const skipped: string[] = [];
      const file = parseFirewallFile(text ?? '', FILE_SCOPES[type], {
        datacenter,
        sdnSets: this.#sdnSets,
        onSkipped: (line) => skipped.push(line),
      });
      const parsed = { text, file, skipped };
      this.#guests.set(vmid, parsed);
      return parsed;
    };
    return { datacenter, guest };
  }
}
