'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { SETTABLE_STATES } from '@/domain/choices';
import { AddressBulkUpdate, type IpAddress } from '@/domain/ipam/ip-address';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { FormShell } from '@/ui/form/form-shell';
import { SelectField } from '@/ui/form/select-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { showToast } from '@/ui/toast';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { ADDRESS_STATE_LABELS } from '../shared/ipam/address-state';
import { type BulkValues, NO_BULK_CHANGE, toBulkChanges } from './address-form-values';

type Props = {
  addresses: readonly Pick<IpAddress, 'id' | 'version'>[];
  open: boolean;
  onClose: () => void;
  onSaved: () => void;
};

/** The same change to many addresses: to all of them or, when one cannot be changed, to none. */
export function BulkEditDrawer({ addresses, open, onClose, onSaved }: Props) {
  const t = useT();
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={t('Edit {n, plural, one {# address} other {# addresses}}', { n: addresses.length })}
      description={t('Select the fields to change. Either all addresses are changed or none.')}
    >
      <Content addresses={addresses} onClose={onClose} onSaved={onSaved} />
    </Drawer>
  );
}

function Content({ addresses, onClose, onSaved }: Omit<Props, 'open'>) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  // The versions from when the drawer was opened: later changes must not slip in.
  const [items] = useState(() => addresses.map(({ id, version }) => ({ id, version })));
  const form = useCheckedForm<BulkValues, unknown, AddressBulkUpdate>({
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
          title: t('{n, plural, one {# address} other {# addresses}} saved', { n: changed }),
          description:
            unchanged > 0
              ? t('{n, plural, one {# was} other {# were}} already in this state.', { n: unchanged })
              : undefined,
        });
        onClose();
        onSaved();
      },
    }),
  );
  const values = useWatch({ control: form.control });
  const states = SETTABLE_STATES.map((value) => ({ value, label: t(ADDRESS_STATE_LABELS[value].word) }));
  const chosen = values.set_state || values.release || values.set_description;
  return (
    <FormShell
      form={form}
      onSubmit={(input) => save.mutate(input)}
      error={save.error ? toFailure(save.error) : null}
      pending={save.isPending}
      submitLabel={t('Save {n, plural, one {# address} other {# addresses}}', { n: items.length })}
      disabledReason={chosen ? null : t('Select at least one change')}
      onCancel={onClose}
      layout="panel"
      fieldName={(field) => field.replace(/^changes\./, '')}
    >
      <CheckboxField control={form.control} name="set_state" label={t('Set state')} />
      {values.set_state && <SelectField control={form.control} name="state" label={t('State')} options={states} />}
      <CheckboxField
        control={form.control}
        name="release"
        label={t('Unassign from workloads')}
        description={t(
          'The addresses stay known but become unassigned. Discovery does not reassign them automatically.',
        )}
      />
      <CheckboxField control={form.control} name="set_description" label={t('Replace the description')} />
      {values.set_description && (
        <TextareaField control={form.control} name="description" label={t('Description')} rows={2} optional />
      )}
    </FormShell>
  );
}
