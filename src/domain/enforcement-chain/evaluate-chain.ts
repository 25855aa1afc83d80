import type { FilterImplementation } from '../firewall/live-state';
import { type ChainLink, getDetail, type LinkDetail, type LinkState } from './link-details';

/** What the agent saw of the interface on the node. */
export type InterfaceReport = {
  readonly present: boolean;
  /** The bridge that it is a port of, `none`, or null: could not be read. */
  readonly bridge: 'own_firewall_bridge' | 'other' | 'none' | null;
  /** Whether the chains of both directions are loaded and packets are sent to them. */
  readonly chains: boolean | null;
};

/** What only the node sees. `null` anywhere: could not be read there. */
export type NodeReport = {
  readonly implementation: FilterImplementation | null;
  readonly service_running: boolean | null;
  readonly rules_loaded: boolean | null;
  readonly netfilter_ipv4: boolean | null;
  readonly netfilter_ipv6: boolean | null;
  /** Null: the agent is too old to report interfaces. */
  readonly interface: InterfaceReport | null;
};

/** Everything that decides whether rules filter one interface. `null`: not known. */
export type ChainFacts = {
  readonly cluster: boolean | null;
  readonly guest: boolean | null;
  readonly nic: boolean | null;
  /** The flag is on in the configuration that the next start uses. */
  readonly nic_pending: boolean;
  readonly running: boolean | null;
  /** As configured; several: not known. */
  readonly implementations: readonly FilterImplementation[];
  readonly compile: 'ok' | 'failed' | 'doubt';
  readonly report: NodeReport | 'no_agent' | 'agent_stale';
  readonly age: 'loaded' | 'not_loaded' | 'waiting' | 'unknown';
  /** What becomes of inbound packets that match no rule, once the firewall is on. */
  readonly default_policy: 'deny' | 'accept' | 'accepts_everything' | 'unknown';
  /** Open connections that the rules deny and that are older than these. */
  readonly older_connections: number | null;
};

export type EvaluatedLink = { readonly link: ChainLink; readonly detail: LinkDetail };

export type EvaluatedChain = {
  readonly enforced: 'yes' | 'no' | 'unknown';
  /** One; two when it is not known which of them filters. */
  readonly implementations: readonly FilterImplementation[];
  readonly links: readonly EvaluatedLink[];
  readonly first_broken: ChainLink | null;
  /** The first that is not known; null: all are. */
  readonly first_unknown: ChainLink | null;
};

const BOTH: readonly FilterImplementation[] = ['iptables', 'nftables'];

/** What filters on the node: what the agent sees there, else what is configured. A contradiction leaves it open. */
function actualImplementations({ implementations, report }: ChainFacts): readonly FilterImplementation[] {
  const seen = typeof report === 'string' ? null : report.implementation;
  if (seen === null) return implementations;
  return implementations.includes(seen) ? [seen] : BOTH;
}

const evaluateSwitch = <D extends LinkDetail>(value: boolean | null, on: D, off: D, unread: D): D =>
  value === null ? unread : value ? on : off;

function evaluateService(facts: ChainFacts, actual: readonly FilterImplementation[]): LinkDetail {
  const { report, implementations } = facts;
  if (typeof report === 'string') return report;
  const [one, other] = actual;
  if (other !== undefined) return implementations.length > 1 ? 'implementation_unknown' : 'implementation_differs';
  const running = one === 'nftables' ? 'nftables_running' : 'iptables_running';
  return evaluateSwitch(report.service_running, running, 'service_stopped', 'service_unread');
}

function evaluateFlag({ nic, nic_pending }: ChainFacts): LinkDetail {
  return nic === false && nic_pending ? 'nic_pending' : evaluateSwitch(nic, 'nic_on', 'nic_off', 'nic_unread');
}

/** Packets reach iptables only on a bridge of the interface's own, which is made when the interface is plugged in. */
function evaluateBridge({ report, running }: ChainFacts): LinkDetail {
  if (typeof report === 'string') return report;
  if (report.interface === null) return 'agent_outdated';
  const { present, bridge } = report.interface;
  if (!present) return running === false ? 'bridge_at_start' : 'interface_absent';
  if (bridge === null) return 'bridge_unread';
  return bridge === 'own_firewall_bridge' ? 'bridge_present' : 'bridge_missing';
}

function evaluateNetfilter({ report }: ChainFacts): LinkDetail {
  if (typeof report === 'string') return report;
  const { netfilter_ipv4: ipv4, netfilter_ipv6: ipv6 } = report;
  if (ipv4 === false) return 'netfilter_off';
  if (ipv6 === false) return 'netfilter_off_ipv6';
  return ipv4 === null || ipv6 === null ? 'netfilter_unread' : 'netfilter_on';
}

function evaluateCompiled({ compile, report }: ChainFacts): LinkDetail {
  if (compile === 'failed') return 'compile_failed';
  if (compile === 'doubt') return 'compile_doubt';
  if (typeof report === 'string') return report;
  if (report.rules_loaded === false) return 'nothing_loaded';
  if (report.interface === null) return 'agent_outdated';
  return evaluateSwitch(report.interface.chains, 'compiled', 'chains_missing', 'chains_unread');
}

function evaluateAge({ age, report }: ChainFacts): LinkDetail {
  if (typeof report === 'string') return report;
  return age === 'unknown' ? 'age_unknown' : age;
}

const DEFAULTS = {
  deny: 'default_deny',
  accept: 'default_accept',
  accepts_everything: 'accepts_everything',
  unknown: 'rules_unread',
} as const satisfies Record<ChainFacts['default_policy'], LinkDetail>;

function evaluateConnections({ older_connections: older, report }: ChainFacts): LinkDetail {
  if (older !== null && older > 0) return 'connections_open';
  if (typeof report === 'string') return report;
  return older === null ? 'connections_unread' : 'none_open';
}

/** A link that only iptables has: where nftables may filter, it proves nothing that it is broken. */
function ifIptables(detail: LinkDetail, actual: readonly FilterImplementation[]): LinkDetail {
  return actual.includes('nftables') && getDetail(detail).state === 'broken' ? 'depends_on_implementation' : detail;
}

/**
 * Whether rules filter an interface: every link has to hold. The first that is broken settles it; one that is not known leaves it
 * open. Under nftables there are no firewall bridge and no bridge netfilter.
 */
export function evaluateChain(facts: ChainFacts): EvaluatedChain {
  const actual = actualImplementations(facts);
  const iptablesLinks: EvaluatedLink[] = actual.includes('iptables')
    ? [
        { link: 'firewall_bridge', detail: ifIptables(evaluateBridge(facts), actual) },
        { link: 'bridge_netfilter', detail: ifIptables(evaluateNetfilter(facts), actual) },
      ]
    : [];
  const links: EvaluatedLink[] = [
    { link: 'cluster_firewall', detail: evaluateSwitch(facts.cluster, 'cluster_on', 'cluster_off', 'cluster_unread') },
    { link: 'firewall_service', detail: evaluateService(facts, actual) },
    { link: 'guest_firewall', detail: evaluateSwitch(facts.guest, 'guest_on', 'guest_off', 'guest_unread') },
    { link: 'nic_flag', detail: evaluateFlag(facts) },
    ...iptablesLinks,
    { link: 'ruleset_compiled', detail: evaluateCompiled(facts) },
    { link: 'ruleset_current', detail: evaluateAge(facts) },
    { link: 'default_policy', detail: DEFAULTS[facts.default_policy] },
    { link: 'open_connections', detail: evaluateConnections(facts) },
  ];
  const first = (state: LinkState) => links.find(({ detail }) => getDetail(detail).state === state)?.link ?? null;
  const [first_broken, first_unknown] = [first('broken'), first('unknown')];
  return {
    enforced: first_broken ? 'no' : first_unknown ? 'unknown' : 'yes',
    implementations: actual,
    links,
    first_broken,
    first_unknown,
  };
}
