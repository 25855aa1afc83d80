import type { NetboxSource } from '@/domain/netbox/source';
import type { Option } from '@/ui/option';

/** The form of a NetBox source. */
export type NetboxValues = {
  name: string;
  url: string;
  /** Empty: the stored one. */
  token: string;
  ca_certificates: string;
  filter_tenant: string;
  filter_tag: string;
  networks: { vrf: string; vlan: number | null; network: Option | null }[];
  tenants: { slug: string; tenant_id: string | null }[];
  groups: { tag: string; group: Option | null }[];
};

export const NEW_NETWORK: NetboxValues['networks'][number] = { vrf: '', vlan: null, network: null };

export const EMPTY_NETBOX: NetboxValues = {
  name: '',
  url: '',
  token: '',
  ca_certificates: '',
  filter_tenant: '',
  filter_tag: '',
  networks: [NEW_NETWORK],
  tenants: [],
  groups: [],
};

const toOption = (value: string, name: string | null): Option => ({ value, label: name ?? value });

/** The token is not shown again: an empty field leaves it unchanged. */
export const toNetboxValues = (source: NetboxSource): NetboxValues => ({
  name: source.name,
  url: source.url,
  token: '',
  ca_certificates: source.ca_certificates ?? '',
  filter_tenant: source.filter_tenant ?? '',
  filter_tag: source.filter_tag ?? '',
  networks: source.networks.map(({ vrf, vlan, network_id, network_name }) => ({
    vrf,
    vlan,
    network: toOption(network_id, network_name),
  })),
  tenants: source.tenants,
  groups: source.groups.map(({ tag, security_group_id, security_group_name }) => ({
    tag,
    group: toOption(security_group_id, security_group_name),
  })),
});

const toFields = ({ name, url, ca_certificates, filter_tenant, filter_tag, ...values }: NetboxValues) => ({
  name,
  url,
  ca_certificates: ca_certificates.trim() || null,
  filter_tenant: filter_tenant.trim() || null,
  filter_tag: filter_tag.trim() || null,
  networks: values.networks.map(({ vrf, vlan, network }) => ({ vrf, vlan, network_id: network?.value ?? '' })),
  tenants: values.tenants.map(({ slug, tenant_id }) => ({ slug, tenant_id: tenant_id ?? '' })),
  groups: values.groups.map(({ tag, group }) => ({ tag, security_group_id: group?.value ?? '' })),
});

export const toNetboxInput = (values: NetboxValues): object => ({ ...toFields(values), token: values.token });

/** What changes a source, with the version it was read at. */
export const toNetboxUpdate = (values: NetboxValues, { version }: { version: number }): object => ({
  ...toFields(values),
  ...(values.token.trim() !== '' && { token: values.token }),
  version,
});

/** Messages about an id belong to the field that chooses it. */
export const netboxFieldName = (field: string): string =>
  field.replace(/\.network_id$/, '.network').replace(/\.security_group_id$/, '.group');
