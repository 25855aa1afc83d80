import { SETTABLE_STATES } from '@/domain/choices';
import type {
  AddressBulkUpdate,
  AddressInput,
  AddressUpdate,
  AllocateAddressInput,
  IpAddress,
} from '@/domain/ipam/ip-address';
import type { Translate } from '@/lib/i18n/translator';
import type { Option } from '@/ui/option';

/** The form of an address. An empty text means no value. */
export type AddressValues = {
  network: Option | null;
  address: string;
  state: (typeof SETTABLE_STATES)[number];
  workload: Option | null;
  /** Empty when not specified. */
  interface_id: string;
  hostname: string;
  mac: string;
  description: string;
};

export const EMPTY_ADDRESS: AddressValues = {
  network: null,
  address: '',
  state: 'active',
  workload: null,
  interface_id: '',
  hostname: '',
  mac: '',
  description: '',
};

type Stored = Pick<
  IpAddress,
  'state' | 'workload_id' | 'workload' | 'interface_id' | 'mac' | 'hostname' | 'description' | 'version'
> &
  Partial<Pick<IpAddress, 'address'>>;

/** A state that only discovery sets is offered as `active`, which it becomes when a user decides. */
const toSettableState = (state: IpAddress['state']) => SETTABLE_STATES.find((one) => one === state) ?? 'active';

export function toAddressValues(stored: Stored): AddressValues {
  return {
    ...EMPTY_ADDRESS,
    address: stored.address ?? '',
    state: toSettableState(stored.state),
    workload: stored.workload
      ? { value: stored.workload.id, label: `${stored.workload.name} (${stored.workload.vmid})` }
      : null,
    interface_id: stored.interface_id ?? '',
    hostname: stored.hostname ?? '',
    mac: stored.mac ?? '',
    description: stored.description,
  };
}

const fields = (values: AddressValues) => ({
  state: values.state,
  workload_id: values.workload?.value ?? null,
  interface_id: (values.workload && values.interface_id) || null,
  hostname: values.hostname.trim() || null,
  mac: values.mac.trim() || null,
  description: values.description,
});

export const toAddressInput = (values: AddressValues): AddressInput => ({
  network_id: values.network?.value ?? '',
  address: values.address.trim(),
  ...fields(values),
});

export const toAllocateInput = (values: AddressValues): AllocateAddressInput => fields(values);

/** Only what differs from what the form was filled from, and the version that had. */
export function toAddressUpdate(values: AddressValues, stored: Stored): AddressUpdate {
  const before = fields(toAddressValues(stored));
  const changed = Object.entries(fields(values)).filter(
    ([field, value]) => value !== before[field as keyof typeof before],
  );
  return { ...Object.fromEntries(changed), version: stored.version };
}

/** How the form's values compare with the stored ones, as text. */
export const toComparableValues = (values: AddressValues) => ({
  ...fields(values),
  workload_id: values.workload?.label ?? null,
});

export const addressFieldName = (field: string): string =>
  field === 'network_id' ? 'network' : field === 'workload_id' ? 'workload' : field;

export const addressLabels = (t: Translate) => ({
  state: t('State'),
  workload_id: t('Workload'),
  interface_id: t('Interface'),
  hostname: t('Host name'),
  mac: t('MAC address'),
  description: t('Description'),
});

/** The form of a change to many addresses; what is not ticked stays. */
export type BulkValues = {
  set_state: boolean;
  state: 'active' | 'reserved' | 'dhcp';
  release: boolean;
  set_description: boolean;
  description: string;
};

export const NO_BULK_CHANGE: BulkValues = {
  set_state: false,
  state: 'reserved',
  release: false,
  set_description: false,
  description: '',
};

/** What is sent for the ticked fields. */
export const toBulkChanges = (values: BulkValues): AddressBulkUpdate['changes'] => ({
  ...(values.set_state && { state: values.state }),
  ...(values.release && { workload_id: null }),
  ...(values.set_description && { description: values.description }),
});
