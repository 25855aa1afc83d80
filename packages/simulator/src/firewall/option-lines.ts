import type { ParamSpecs } from '../schema/param-spec';
import { LOG_LEVELS } from './vocabulary';

export type OptionScope = 'cluster' | 'host' | 'guest' | 'vnet';
export type Options = Record<string, string | number>;

const flag = { type: 'boolean', optional: true } as const;
const level = { type: 'string', optional: true, enum: LOG_LEVELS } as const;
const policy = { type: 'string', optional: true, enum: ['ACCEPT', 'REJECT', 'DROP'] } as const;
const forwardPolicy = { type: 'string', optional: true, enum: ['ACCEPT', 'DROP'] } as const;
const count = (minimum?: number, maximum?: number) => ({ type: 'integer', optional: true, minimum, maximum }) as const;

/** Options a caller may set, by scope. */
export const OPTION_SPECS: Record<OptionScope, ParamSpecs> = {
  guest: {
    dhcp: flag,
    enable: flag,
    ipfilter: flag,
    log_level_in: level,
    log_level_out: level,
    macfilter: flag,
    ndp: flag,
    policy_in: policy,
    policy_out: policy,
    radv: flag,
  },
  cluster: {
    ebtables: flag,
    enable: count(0),
    log_ratelimit: { type: 'string', optional: true },
    policy_forward: forwardPolicy,
    policy_in: policy,
    policy_out: policy,
  },
  host: {
    enable: flag,
    log_level_forward: level,
    log_level_in: level,
    log_level_out: level,
    log_nf_conntrack: flag,
    ndp: flag,
    nf_conntrack_allow_invalid: flag,
    nf_conntrack_helpers: { type: 'string', optional: true },
    nf_conntrack_max: count(32768),
    nf_conntrack_tcp_timeout_established: count(7875),
    nf_conntrack_tcp_timeout_syn_recv: count(30, 60),
    nftables: flag,
    nosmurfs: flag,
    protection_synflood: flag,
    protection_synflood_burst: count(),
    protection_synflood_rate: count(),
    smurf_log_level: level,
    tcp_flags_log_level: level,
    tcpflags: flag,
  },
  vnet: { enable: flag, log_level_forward: level, policy_forward: forwardPolicy },
};

/** Options of a guest that may be in the file and are returned, although no call accepts them. */
const UNDECLARED: Record<string, RegExp> = { ips: /^[01]$/, ips_queues: /^\d+(:\d+)?$/, layer2_protocols: /^\S+$/ };

/** One line of `[OPTIONS]` as name and typed value; undefined when it is not understood and therefore skipped. */
export function parseOptionLine(scope: OptionScope, line: string): [string, string | number] | undefined {
  const [, rawName = '', value = ''] = /^([a-z0-9_]+):\s*(.*?)\s*$/i.exec(line) ?? [];
  const name = rawName.toLowerCase();
  if (scope === 'guest' && UNDECLARED[name]?.test(value)) return [name, name === 'ips' ? Number(value) : value];
  const spec = OPTION_SPECS[scope][name];
  if (!spec) return undefined;
  if (spec.type === 'boolean') return /^[01]$/.test(value) ? [name, Number(value)] : undefined;
  if (spec.type === 'integer') return /^\d+$/.test(value) ? [name, Number(value)] : undefined;
  if (!spec.enum) return [name, value];
  const folded = name.startsWith('policy_') ? value.toUpperCase() : value.toLowerCase();
  return spec.enum.includes(folded) ? [name, folded] : undefined;
}

/** Value of an option parameter as the file parser would type it. */
export const typedOption = (scope: OptionScope, name: string, value: string): string | number => {
  const type = OPTION_SPECS[scope][name]?.type;
  return type === 'boolean' || type === 'integer' ? Number(value) : value;
};
