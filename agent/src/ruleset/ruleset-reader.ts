import { createHash } from 'node:crypto';
import { type Clock, monotonic } from '../sys/clock';
import { findTool, runTool } from '../sys/run-tool';
import { canonicalNft, listChains } from './canonical-nft';
import { rulesetGeneration } from './generation';
import { hashHypervisorRules, listAttachedInterfaces } from './hypervisor-rules';
import { legacySections, loadedModules, type Section, translatedSections } from './sections';

export type Ruleset = {
  /** SHA-256 (hex) of all rules; null when nothing, or not all that was readable before, could be read. */
  hash: string | null;
  /** Chains of guests, of either firewall implementation; null when unknown. */
  guestChains: number | null;
  /** Whether chains or tables of the hypervisor's firewall are there; null when unknown. */
  isFirewallLoaded: boolean | null;
  /** SHA-256 (hex) of the rules that are the hypervisor's own; null as `hash`. */
  firewallHash: string | null;
  /** Interfaces of guests that rules are attached to; null when unknown. */
  attached: ReadonlySet<string> | null;
};

const UNREADABLE: Ruleset = {
  hash: null,
  guestChains: null,
  isFirewallLoaded: null,
  firewallHash: null,
  attached: null,
};

type NftRules = { generation: number | null; readAt: number; sections: Section[]; chains: string[] | null };

/** An unchanged ruleset is listed again this often, should the generation number ever miss a change. */
const RECHECK_MILLISECONDS = 15 * 60 * 1000;
const GUEST_CHAIN = /^:(?:tap|veth)\d+i\d+-(?:IN|OUT) /gm;
const GUEST_CHAIN_NFT = / guest-\d+-(?:in|out)$/;
const HYPERVISOR_TABLES = /^(?:inet proxmox-firewall|bridge proxmox-firewall-guests) /;

/** Reads the node's packet filter rules and tells by a hash when they changed. */
export class RulesetReader {
  private nft: NftRules | null = null;
  private readableBefore = new Set<string>();

  constructor(
    private readonly clock: Clock = monotonic,
    private readonly generation: () => number = rulesetGeneration,
  ) {}

  async read(): Promise<Ruleset> {
    const [nft, legacy] = await Promise.all([this.nftRules(), legacySections()]);
    const sections = [...(nft?.sections ?? []), ...legacy];
    const readable = sections.filter(({ text }) => text !== null);
    const isComplete = sections.every(({ name, text }) => text !== null || !this.readableBefore.has(name));
    for (const { name } of readable) this.readableBefore.add(name);
    if (readable.length === 0) return UNREADABLE;
    return {
      hash: isComplete ? hashSections(sections) : null,
      ...summarizeFirewall(sections, nft?.chains ?? []),
      firewallHash: isComplete ? hashHypervisorRules(sections) : null,
      attached: isComplete ? listAttachedInterfaces(sections) : null,
    };
  }

  private async nftRules(): Promise<NftRules | null> {
    const modules = loadedModules();
    const tool = findTool('nft');
    if (modules !== null && !modules.has('nf_tables')) return null;
    const generation = this.currentGeneration();
    const { nft } = this;
    const isFresh = nft !== null && this.clock() - nft.readAt < RECHECK_MILLISECONDS;
    if (nft && isFresh && generation !== null && nft.generation === generation) return nft;

    const own = tool === null ? { text: null, chains: null } : await listNft(tool);
    const sections = [...(tool === null ? [] : [{ name: 'nft', text: own.text }]), ...(await translatedSections())];
    // Changed while it was read: what was read may be neither of both. Next time the number differs again.
    const isStable = generation !== null && this.currentGeneration() === generation;
    this.nft = { generation: isStable ? generation : null, readAt: this.clock(), sections, chains: own.chains };
    return this.nft;
  }

  private currentGeneration(): number | null {
    try {
      return this.generation();
    } catch {
      return null;
    }
  }
}

async function listNft(tool: string): Promise<{ text: string | null; chains: string[] | null }> {
  try {
    const json = await runTool(tool, ['-j', 'list', 'ruleset']);
    return { text: canonicalNft(json), chains: listChains(json) };
  } catch {
    return { text: null, chains: null };
  }
}

function hashSections(sections: readonly Section[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of sections) if (text !== '') hash.update(`${name}\n${text ?? 'unreadable'}\n\n`);
  return hash.digest('hex');
}

function summarizeFirewall(
  sections: readonly Section[],
  chains: readonly string[],
): Pick<Ruleset, 'guestChains' | 'isFirewallLoaded'> {
  const filter = sections.filter(({ name }) => /^(?:iptables filter|iptables-nft-save)$/.test(name));
  const texts = filter.map(({ text }) => text ?? '');
  const iptablesChains = texts.reduce((sum, text) => sum + (text.match(GUEST_CHAIN)?.length ?? 0), 0);
  const nftChains = chains.filter((chain) => HYPERVISOR_TABLES.test(chain) && GUEST_CHAIN_NFT.test(chain)).length;
  return {
    guestChains: iptablesChains + nftChains,
    isFirewallLoaded:
      texts.some((text) => text.includes(':PVEFW-FORWARD ')) || chains.some((chain) => HYPERVISOR_TABLES.test(chain)),
  };
}
