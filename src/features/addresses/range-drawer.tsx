'use client';
import { useMutation } from '@tanstack/react-query';
import type { Control } from 'react-hook-form';
import { RANGE_KINDS } from '@/domain/choices';
import { type IpRange, RangeInput, RangeUpdate } from '@/domain/ipam/ip-range';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { RadioField } from '@/ui/form/radio-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { useSaved } from '../shared/record-cache';
import { RecordForm } from '../shared/record-drawer';
import { VersionedForm } from '../shared/versioned-form';
import {
  EMPTY_RANGE,
  RANGE_KIND_LABELS,
  type RangeValues,
  rangeLabels,
  toRangeInput,
  toRangeUpdate,
  toRangeValues,
} from './range-form-values';

type Subnet = { id: string; cidr: string };
type Props = {
  subnet: Subnet;
  /** A range to change, `new` for a new one. */
  range: IpRange | 'new' | null;
  onClose: () => void;
};

/** Adds or changes a range of addresses that are never handed out as the next free one. */
export function RangeDrawer({ subnet, range, onClose }: Props) {
  const t = useT();
  return (
    <Drawer
      open={range !== null}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={range === 'new' ? t('Add range') : t('Edit range')}
      description={t('In {cidr}. Addresses in a range are never allocated as the next free address.', {
        cidr: subnet.cidr,
      })}
    >
      {range === 'new' && <AddContent subnet={subnet} onClose={onClose} />}
      {range !== null && range !== 'new' && <EditContent key={range.id} opened={range} onClose={onClose} />}
    </Drawer>
  );
}

function useRangeSaved(onClose: () => void) {
  const t = useT();
  const trpc = useTRPC();
  const done = useSaved(onClose);
  return () => {
    done(t('Range saved'), trpc.ipRanges.pathFilter(), trpc.subnets.pathFilter());
  };
}

function Fields<Out>({ control }: { control: Control<RangeValues, unknown, Out> }) {
  const t = useT();
  const labels = rangeLabels(t);
  const kinds = RANGE_KINDS.map((value) => ({
    value,
    label: t(RANGE_KIND_LABELS[value]),
    description:
      value === 'dhcp'
        ? t('A DHCP server assigns these addresses.')
        : t('Reserved for a purpose. State the purpose in the description.'),
  }));
  return (
    <>
      <RadioField control={control} name="kind" label={labels.kind} options={kinds} />
      <TextField control={control} name="first_address" label={labels.first_address} mono />
      <TextField control={control} name="last_address" label={labels.last_address} mono />
      <TextareaField control={control} name="description" label={labels.description} rows={2} optional />
    </>
  );
}

function AddContent({ subnet, onClose }: { subnet: Subnet; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const create = useMutation(trpc.ipRanges.create.mutationOptions({ onSuccess: useRangeSaved(onClose) }));
  return (
    <RecordForm
      defaultValues={EMPTY_RANGE}
      schema={RangeInput}
      toInput={(values) => toRangeInput(values, subnet.id)}
      save={create}
      submitLabel={t('Add range')}
      onClose={onClose}
    >
      {(control) => <Fields control={control} />}
    </RecordForm>
  );
}

function EditContent({ opened, onClose }: { opened: IpRange; onClose: () => void }) {
  const t = useT();
  const client = useTRPCClient();
  const read = async () => {
    // A range has no call of its own; those of a subnet are few.
    const page = await client.ipRanges.list.query({ subnet_id: opened.subnet_id, limit: 500 });
    const found = page.items.find((range) => range.id === opened.id);
    if (!found) throw new Error('the range was deleted');
    return found;
  };
  return (
    <VersionedForm
      opened={opened}
      read={read}
      schema={RangeUpdate}
      toValues={toRangeValues}
      toInput={toRangeUpdate}
      save={(changes) => client.ipRanges.update.mutate({ id: opened.id, ...changes })}
      onSaved={useRangeSaved(onClose)}
      submitLabel={t('Save range')}
      compare={{ labels: rangeLabels(t) }}
      onClose={onClose}
    >
      {({ control }) => <Fields control={control} />}
    </VersionedForm>
  );
}
