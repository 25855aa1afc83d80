/** What has a firewall file of its own besides guests. */
export const HOST_SCOPES = ['data_center', 'node', 'vnet'] as const;
export type HostScope = (typeof HOST_SCOPES)[number];

type OptionValue = boolean | number | string;

/** An option as it holds: stored, at the hypervisor's default, or not known because the options could not be read. */
export type HostOption = {
  readonly name: string;
  readonly value: OptionValue | null;
  readonly origin: 'stored' | 'default' | 'unknown';
};

/** Defaults of the hypervisor, by scope, in the order in which pages show them. */
const DEFAULTS: Readonly<Record<HostScope, Readonly<Record<string, OptionValue>>>> = {
  data_center: {
    enable: false,
    policy_in: 'DROP',
    policy_out: 'ACCEPT',
    policy_forward: 'ACCEPT',
    ebtables: true,
    log_ratelimit: 'enable=1,rate=1/second,burst=5',
  },
  node: {
    enable: true,
    nftables: false,
    nosmurfs: true,
    nf_conntrack_allow_invalid: false,
    tcpflags: false,
    ndp: true,
    protection_synflood: false,
    protection_synflood_rate: 200,
    protection_synflood_burst: 1000,
    nf_conntrack_max: 262_144,
    nf_conntrack_tcp_timeout_established: 432_000,
    nf_conntrack_tcp_timeout_syn_recv: 60,
    nf_conntrack_helpers: '',
    log_nf_conntrack: false,
    log_level_in: 'nolog',
    log_level_out: 'nolog',
    log_level_forward: 'nolog',
    smurf_log_level: 'nolog',
    tcp_flags_log_level: 'nolog',
  },
  vnet: { enable: false, policy_forward: 'ACCEPT', log_level_forward: 'nolog' },
};

/** The stored value in the type of the default. A switch of the data center may be a number above 1, which is a trial that filters. */
function typed(value: OptionValue, standard: OptionValue | undefined): OptionValue {
  if (typeof standard === 'boolean') return Number(value) > 0;
  if (typeof standard === 'number' && value !== '' && !Number.isNaN(Number(value))) return Number(value);
  return value;
}

/**
 * All options of a scope with what holds for each; stored ones that are not known here come last.
 * @param stored null: could not be read, so every option is unknown
 */
export function hostOptions(scope: HostScope, stored: Readonly<Record<string, unknown>> | null): HostOption[] {
  const defaults = DEFAULTS[scope];
  const isValue = (value: unknown): value is OptionValue => ['string', 'number', 'boolean'].includes(typeof value);
  const known = Object.entries(defaults).map(([name, standard]): HostOption => {
    if (stored === null) return { name, value: null, origin: 'unknown' };
    const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (!isValue(value)) return { name, value: standard, origin: 'default' };
    return { name, value: typed(value, standard), origin: 'stored' };
  });
  const others = Object.entries(stored ?? {})
    .filter(([name]) => !Object.hasOwn(defaults, name))
    .flatMap(([name, value]): HostOption[] => (isValue(value) ? [{ name, value, origin: 'stored' }] : []));
  return [...known, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))];
}

/** The switch of a scope; null: could not be read. */
export function hostSwitch(scope: HostScope, stored: Readonly<Record<string, unknown>> | null): boolean | null {
  const option = hostOptions(scope, stored).find(({ name }) => name === 'enable');
  return typeof option?.value === 'boolean' ? option.value : null;
}
