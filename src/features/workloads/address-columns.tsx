import type { WorkloadAddress } from '@/domain/inventory';
import type { Translate } from '@/lib/i18n/translator';
import { columnsOf } from '@/ui/columns';
import { ADDRESS_SOURCE_WORDS, ADDRESS_STATE_WORDS, AddressState } from '../shared/ipam/address-state';
import { AddressLink, SubnetLink } from '../shared/ipam/ipam-links';

const make = columnsOf<WorkloadAddress>();

export const addressColumns = (t: Translate) => [
  make.custom('address', t('Address'), (item) => <AddressLink id={item.id} address={item.address} />, {
    width: 220,
    grow: true,
    csv: (item) => item.address,
  }),
  make.custom('state', t('State'), (item) => <AddressState state={item.state} />, {
    width: 110,
    csv: (item) => t(ADDRESS_STATE_WORDS[item.state].word),
  }),
  make.custom('subnet_cidr', t('Subnet'), (item) => <SubnetLink id={item.subnet_id} cidr={item.subnet_cidr} />, {
    width: 180,
    csv: (item) => item.subnet_cidr,
  }),
  make.text('source', t('Known from'), (item) => t(ADDRESS_SOURCE_WORDS[item.source]), { width: 130 }),
];
