'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { AddressBulkUpdate, type IpAddress, SETTABLE_STATES } from '@/domain/ipam/ip-address';
import { formatCount } from '@/lib/format';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { FormShell } from '@/ui/form/form-shell';
import { SelectField } from '@/ui/form/select-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { showToast } from '@/ui/toast';
import { domainResolver } from '../shared/domain-resolver';
import { ADDRESS_STATE_WORDS } from '../shared/ipam/address-state';
import { type BulkValues, NO_BULK_CHANGE, toBulkChanges } from './bulk-edit-values';

type Props = {
  addresses: readonly Pick<IpAddress, 'id' | 'version'>[];
  open: boolean;
  onClose: () => void;
  onSaved: () => void;
};

const STATES = SETTABLE_STATES.map((value) => ({ value, label: ADDRESS_STATE_WORDS[value].word }));

/** The same change to many addresses: to all of them or, when one cannot be changed, to none. */
export function BulkEditDrawer({ addresses, open, onClose, onSaved }: Props) {
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={`Edit ${formatCount(addresses.length)} ${addresses.length === 1 ? 'address' : 'addresses'}`}
      description="Tick what you want to change. All of them are changed, or none."
    >
      <Content addresses={addresses} onClose={onClose} onSaved={onSaved} />
    </Drawer>
  );
}

function Content({ addresses, onClose, onSaved }: Omit<Props, 'open'>) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  // The versions that were looked at when it opened: what comes in meanwhile must not slip in.
  const [items] = useState(() => addresses.map(({ id, version }) => ({ id, version })));
  const form = useForm<BulkValues, unknown, AddressBulkUpdate>({
    defaultValues: NO_BULK_CHANGE,
    resolver: domainResolver(
      AddressBulkUpdate,
      (values: BulkValues) => ({ items, changes: toBulkChanges(values) }),
      (field) => field.replace(/^changes\./, ''),
    ),
  });
  const save = useMutation(
    trpc.ipAddresses.bulkUpdate.mutationOptions({
      onSuccess: ({ changed, unchanged }) => {
        void queryClient.invalidateQueries(trpc.ipAddresses.pathFilter());
        void queryClient.invalidateQueries(trpc.subnets.pathFilter());
        showToast('ok', {
          title: `${formatCount(changed)} ${changed === 1 ? 'address' : 'addresses'} changed`,
          description: unchanged > 0 ? `${formatCount(unchanged)} were as wanted already.` : undefined,
        });
        onClose();
        onSaved();
      },
    }),
  );
  const values = useWatch({ control: form.control });
  const chosen = values.set_state || values.release || values.set_description;
  return (
    <FormShell
      form={form}
      onSubmit={(input) => save.mutate(input)}
      error={save.error ? failureOf(save.error) : null}
      pending={save.isPending}
      submitLabel={`Change ${formatCount(items.length)} ${items.length === 1 ? 'address' : 'addresses'}`}
      disabledReason={chosen ? null : 'Tick at least one change'}
      onCancel={onClose}
      layout="panel"
      fieldName={(field) => field.replace(/^changes\./, '')}
    >
      <CheckboxField control={form.control} name="set_state" label="Set the state" />
      {values.set_state && <SelectField control={form.control} name="state" label="State" options={STATES} />}
      <CheckboxField
        control={form.control}
        name="release"
        label="Take them from their workloads"
        description="The addresses stay known, but belong to nobody. Discoveries do not give them back by themselves."
      />
      <CheckboxField control={form.control} name="set_description" label="Replace the description" />
      {values.set_description && (
        <TextareaField control={form.control} name="description" label="Description" rows={2} optional />
      )}
    </FormShell>
  );
}
