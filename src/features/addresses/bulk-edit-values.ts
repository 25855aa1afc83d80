import type { AddressBulkUpdate } from '@/domain/ipam/ip-address';

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
