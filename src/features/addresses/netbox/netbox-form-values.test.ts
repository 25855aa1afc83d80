import { describe, expect, it } from 'vitest';
import { NetboxSourceInput, NetboxSourceUpdate } from '@/domain/netbox/source';
import { EMPTY_NETBOX, netboxFieldName, toNetboxInput, toNetboxUpdate, toNetboxValues } from './netbox-form-values';

const id = '0190a0b0-0000-7000-8000-000000000001';
const values = {
  ...EMPTY_NETBOX,
  name: 'HQ',
  url: 'https://netbox.example.org/netbox/api/',
  token: 'abc',
  networks: [{ vrf: 'blue', vlan: 12, network: { value: id, label: 'vmbr0' } }],
  groups: [{ tag: 'web', group: { value: id, label: 'web' } }],
};

describe('the form of a NetBox source', () => {
  it('sends what the service accepts, with the address without its API path', () => {
    expect(NetboxSourceInput.parse(toNetboxInput(values))).toMatchObject({
      url: 'https://netbox.example.org/netbox',
      token: 'abc',
      filter_tag: null,
      networks: [{ vrf: 'blue', vlan: 12, network_id: id }],
      groups: [{ tag: 'web', security_group_id: id }],
    });
  });

  it('leaves the stored token unchanged when it is empty', () => {
    expect(NetboxSourceUpdate.parse(toNetboxUpdate({ ...values, token: ' ' }, { version: 3 }))).not.toHaveProperty(
      'token',
    );
    expect(toNetboxUpdate(values, { version: 3 })).toMatchObject({ token: 'abc', version: 3 });
  });

  it('shows names of networks, and the id of one that was deleted', () => {
    const stored = { ...NetboxSourceInput.parse(toNetboxInput(values)), id, version: 1, last_import_at: null };
    const source = {
      ...{ ...stored, created_at: '', updated_at: '' },
      networks: [{ vrf: '', vlan: null, network_id: id, network_name: null }],
      groups: [{ tag: 'web', security_group_id: id, security_group_name: 'web servers' }],
    };
    expect(toNetboxValues(source)).toMatchObject({
      token: '',
      networks: [{ network: { value: id, label: id } }],
      groups: [{ group: { label: 'web servers' } }],
    });
  });

  it('puts messages about ids to the fields that choose them', () => {
    expect(['networks.1.network_id', 'groups.0.security_group_id', 'tenants.0.slug'].map(netboxFieldName)).toEqual([
      'networks.1.network',
      'groups.0.group',
      'tenants.0.slug',
    ]);
  });
});
