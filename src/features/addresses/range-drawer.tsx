'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { type IpRange, RANGE_KINDS, RangeInput, RangeUpdate } from '@/domain/ipam/ip-range';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { FormShell } from '@/ui/form/form-shell';
import { RadioField } from '@/ui/form/radio-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { showToast } from '@/ui/toast';
import { domainResolver } from '../shared/domain-resolver';
import { useEditBase } from '../shared/use-edit-base';
import { VersionConflict } from '../shared/version-conflict';
import {
  EMPTY_RANGE,
  RANGE_KIND_WORDS,
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
      description={t('In {cidr}. Its addresses are never handed out as the next free one.', { cidr: subnet.cidr })}
    >
      {range === 'new' && <AddContent subnet={subnet} onClose={onClose} />}
      {range !== null && range !== 'new' && <EditContent key={range.id} opened={range} onClose={onClose} />}
    </Drawer>
  );
}

function useSaved(onClose: () => void) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return () => {
    void queryClient.invalidateQueries(trpc.ipRanges.pathFilter());
    void queryClient.invalidateQueries(trpc.subnets.pathFilter());
    showToast('ok', { title: t('Range saved') });
    onClose();
  };
}

function Fields<Out>({ control }: { control: ReturnType<typeof useForm<RangeValues, unknown, Out>>['control'] }) {
  const t = useT();
  const labels = rangeLabels(t);
  const kinds = RANGE_KINDS.map((value) => ({
    value,
    label: t(RANGE_KIND_WORDS[value]),
    description:
      value === 'dhcp' ? t('A DHCP server hands these out.') : t('Kept for something. Name it in the description.'),
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
  const form = useForm<RangeValues, unknown, RangeInput>({
    defaultValues: EMPTY_RANGE,
    resolver: domainResolver(RangeInput, (values: RangeValues) => toRangeInput(values, subnet.id)),
  });
  const create = useMutation(trpc.ipRanges.create.mutationOptions({ onSuccess: useSaved(onClose) }));
  return (
    <FormShell
      form={form}
      onSubmit={(input) => create.mutate(input)}
      error={create.error ? failureOf(create.error) : null}
      pending={create.isPending}
      submitLabel={t('Add range')}
      onCancel={onClose}
      layout="panel"
    >
      <Fields control={form.control} />
    </FormShell>
  );
}

function EditContent({ opened, onClose }: { opened: IpRange; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const edit = useEditBase<IpRange>(opened, async () => {
    // A range has no call of its own; those of a subnet are few.
    const page = await client.ipRanges.list.query({ subnet_id: opened.subnet_id, limit: 500 });
    const found = page.items.find((range) => range.id === opened.id);
    if (!found) throw new Error('the range was deleted');
    return found;
  });
  const form = useForm<RangeValues, unknown, RangeUpdate>({
    defaultValues: toRangeValues(opened),
    resolver: domainResolver(RangeUpdate, (values: RangeValues) => toRangeUpdate(values, edit.base)),
  });
  const save = useMutation(
    trpc.ipRanges.update.mutationOptions({ onSuccess: useSaved(onClose), onError: edit.onError }),
  );
  const values = { ...toRangeValues(opened), ...useWatch({ control: form.control }) };
  return (
    <FormShell
      form={form}
      onSubmit={(changes) => save.mutate({ id: opened.id, ...changes })}
      error={save.error && !edit.conflict ? failureOf(save.error) : null}
      pending={save.isPending}
      submitLabel={t('Save range')}
      disabledReason={
        edit.conflict
          ? t('Choose a version first')
          : form.formState.isDirty || edit.base !== opened
            ? null
            : t('Nothing has changed')
      }
      onCancel={onClose}
      layout="panel"
    >
      {edit.conflict && (
        <VersionConflict
          labels={rangeLabels(t)}
          mine={values}
          theirs={edit.conflict.theirs}
          pending={save.isPending}
          onTake={() => {
            const { theirs } = edit.conflict ?? {};
            if (!theirs) return;
            form.reset(toRangeValues(theirs));
            edit.rebase(theirs);
            save.reset();
          }}
          onKeep={() => {
            const { theirs } = edit.conflict ?? {};
            if (!theirs) return;
            edit.rebase(theirs);
            save.mutate({ id: opened.id, ...toRangeUpdate(values, theirs) });
          }}
        />
      )}
      <Fields control={form.control} />
    </FormShell>
  );
}
