import type { Service } from './classify';

/** Services that almost every workload uses or offers. Each is one policy for all of its clients, or servers. */
export const INFRASTRUCTURE_KINDS = ['dns', 'ntp', 'logging', 'monitoring'] as const;
export type InfrastructureKind = (typeof INFRASTRUCTURE_KINDS)[number];

const PORTS: Readonly<Record<InfrastructureKind, readonly string[]>> = {
  dns: ['tcp/53', 'udp/53', 'tcp/853'],
  ntp: ['udp/123', 'tcp/4460'],
  logging: ['tcp/514', 'udp/514', 'tcp/601', 'tcp/6514', 'udp/12201', 'tcp/12201', 'tcp/5044'],
  monitoring: [
    ...['udp/161', 'tcp/161', 'tcp/4949', 'tcp/5666', 'tcp/6556', 'tcp/9100', 'tcp/9182', 'tcp/10050'],
    ...['icmp/echo-request', 'icmpv6/echo-request'],
  ],
};
const KINDS = new Map(INFRASTRUCTURE_KINDS.flatMap((kind) => PORTS[kind].map((service) => [service, kind] as const)));

export const INFRASTRUCTURE_NAMES: Readonly<Record<InfrastructureKind, string>> = {
  dns: 'DNS',
  ntp: 'NTP',
  logging: 'logging',
  monitoring: 'monitoring',
};

/** What kind of infrastructure a service is; null: none. */
export const findInfrastructure = ({ protocol, port, icmp_type }: Service): InfrastructureKind | null =>
  KINDS.get(`${protocol}/${port ?? icmp_type}`) ?? null;
