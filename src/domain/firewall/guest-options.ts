import type { LiveGuestOptions } from './live-state';

export type DefaultPolicy = 'ACCEPT' | 'DROP' | 'REJECT';

/** Options of a guest with the values that hold when nothing is stored. */
export type EffectiveOptions = {
  readonly enable: boolean;
  readonly policy_in: DefaultPolicy;
  readonly policy_out: DefaultPolicy;
  readonly dhcp: boolean;
  readonly ndp: boolean;
  readonly radv: boolean;
  readonly macfilter: boolean;
  readonly ipfilter: boolean;
  readonly ips: boolean;
};

/** A stored default policy; what is not one counts as not stored. */
export const defaultPolicy = (text: string | number | undefined, otherwise: DefaultPolicy): DefaultPolicy =>
  text === 'ACCEPT' || text === 'DROP' || text === 'REJECT' ? text : otherwise;

const flag = (value: number | undefined, otherwise: boolean) => (value === undefined ? otherwise : value !== 0);

/**
 * What is really enforced: the inbound default is DROP as soon as the firewall is on, and DHCP is allowed unless
 * switched off, although the hypervisor's documentation says otherwise.
 */
export function effectiveOptions(stored: LiveGuestOptions): EffectiveOptions {
  return {
    enable: flag(stored.enable, false),
    policy_in: defaultPolicy(stored.policy_in, 'DROP'),
    policy_out: defaultPolicy(stored.policy_out, 'ACCEPT'),
    dhcp: flag(stored.dhcp, true),
    ndp: flag(stored.ndp, true),
    radv: flag(stored.radv, false),
    macfilter: flag(stored.macfilter, true),
    ipfilter: flag(stored.ipfilter, false),
    ips: flag(stored.ips, false),
  };
}
