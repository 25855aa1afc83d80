/** Software-defined network configuration, keyed by id. Property names are those of the API. */
export type SdnZone = { zone: string; type: 'evpn' | 'qinq' | 'simple' | 'vlan' | 'vxlan' } & Record<
  string,
  string | number
>;
export type SdnVnet = {
  vnet: string;
  type: 'vnet';
  zone: string;
  tag?: number;
  alias?: string;
  vlanaware?: 1;
  'isolate-ports'?: 1;
};
export type SdnSubnet = {
  /** `<zone>-<network>-<prefix>` */
  subnet: string;
  type: 'subnet';
  vnet: string;
  zone: string;
  cidr: string;
  network: string;
  mask: string;
  gateway?: string;
  snat?: 1;
  'dhcp-dns-server'?: string;
  'dhcp-range'?: { 'start-address': string; 'end-address': string }[];
};

export type SdnConfig = {
  zones: Map<string, SdnZone>;
  vnets: Map<string, SdnVnet>;
  subnets: Map<string, SdnSubnet>;
};

/** A lease or reservation in the built-in address management. */
export type IpamEntry = {
  zone: string;
  vnet: string;
  subnet: string;
  ip: string;
  mac?: string;
  vmid?: number;
  hostname?: string;
  gateway?: 1;
};

export const emptySdnConfig = (): SdnConfig => ({ zones: new Map(), vnets: new Map(), subnets: new Map() });

export const copySdnConfig = (config: SdnConfig): SdnConfig => structuredClone(config);
