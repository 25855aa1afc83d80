'use client';
import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { MAX_PASSKEYS, type Passkey, PasskeyUpdate } from '@/domain/passkeys';
import type { SecondFactorState } from '@/domain/second-factor';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { Dialog } from '@/ui/dialog';
import { EmptyState } from '@/ui/empty-state';
import { FormShell } from '@/ui/form/form-shell';
import { TextField } from '@/ui/form/text-field';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { AddPasskey } from '../shared/second-factor/add-passkey';
import { passkeyObstacle } from '../shared/second-factor/webauthn';
import { ProofForm } from './proof-form';

const make = createColumnHelper<Passkey>();

const columns = (t: Translate, rpId: string | null) => [
  make.custom(
    'name',
    t('Name'),
    ({ name, rp_id, synced }) => (
      <span className="inline-flex max-w-full min-w-0 items-center gap-2">
        <span className="truncate">{name}</span>
        {rp_id !== rpId && <Badge tone="warn">{t('Only for {host}', { host: rp_id })}</Badge>}
        {synced && <Badge tone="info">{t('Synchronized')}</Badge>}
      </span>
    ),
    { width: 260, grow: true, csv: ({ name }) => name },
  ),
  make.time('created_at', t('Created'), (passkey) => passkey.created_at),
  make.time('last_used_at', t('Last used'), (passkey) => passkey.last_used_at, { none: t('Never') }),
];

type Task = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey };

/** The user's own passkeys. */
export function PasskeyTable({ query }: { query: UseQueryResult<SecondFactorState, unknown> }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [task, setTask] = useState<Task | null>(null);
  const state = query.data;
  const rpId = state?.passkey_site.rp_id ?? null;
  const shown = useMemo(() => columns(t, rpId), [t, rpId]);
  const rows = state?.passkeys ?? [];
  const close = () => setTask(null);
  const finish = (title: string) => {
    showToast('ok', { title });
    close();
    void queryClient.invalidateQueries(trpc.account.secondFactor.pathFilter());
    void queryClient.invalidateQueries(trpc.account.sessions.pathFilter());
  };
  const obstacle = state ? passkeyObstacle(t, state.passkey_site) : null;
  const full = rows.length >= MAX_PASSKEYS && t('You have {max} passkeys. Remove one first', { max: MAX_PASSKEYS });
  const add = (
    <Button
      size="sm"
      icon={<Plus size={14} />}
      onClick={() => setTask({ kind: 'add' })}
      disabledReason={obstacle ?? full}
    >
      {t('Add passkey')}
    </Button>
  );
  const last = rows.length === 1 && state?.app_at === null;
  const [role] = (last && state?.required_by) || [];
  return (
    <Section title={t('Passkeys')} actions={rows.length > 0 && add} bare>
      <DataTable
        id="account-passkeys"
        label={t('Passkeys')}
        noun={{ one: t('passkey'), many: t('passkeys') }}
        columns={shown}
        rows={rows}
        rowId={(passkey) => passkey.id}
        total={rows.length}
        loading={query.isPending}
        error={query.error ? toFailure(query.error) : null}
        onRetry={() => void query.refetch()}
        height="auto"
        rowActions={(passkey) => ({
          name: passkey.name,
          entries: [
            { id: 'rename', label: t('Rename'), onSelect: () => setTask({ kind: 'rename', passkey }) },
            {
              id: 'remove',
              label: t('Remove'),
              tone: 'danger',
              onSelect: () => setTask({ kind: 'remove', passkey }),
              disabledReason: role !== undefined && t('The role {role} requires a second factor', { role }),
            },
          ],
        })}
        empty={
          <EmptyState title={t('No passkeys yet')} action={add}>
            {obstacle ??
              t('A passkey signs you in with a fingerprint, a face, a PIN or a security key after your password.')}
          </EmptyState>
        }
      />
      {state && task?.kind === 'add' && (
        <Dialog open onOpenChange={(next) => !next && close()} title={t('Add passkey')} persistent>
          <AddPasskey state={state} onCancel={close} onDone={() => finish(t('Passkey added'))} />
        </Dialog>
      )}
      {task?.kind === 'rename' && (
        <RenameDialog passkey={task.passkey} onClose={close} onDone={() => finish(t('Passkey renamed'))} />
      )}
      {state && task?.kind === 'remove' && (
        <RemoveDialog
          state={state}
          passkey={task.passkey}
          last={last}
          onClose={close}
          onDone={() => finish(t('Passkey removed'))}
        />
      )}
    </Section>
  );
}

type DialogProps = { passkey: Passkey; onClose: () => void; onDone: () => void };

function RenameDialog({ passkey, onClose, onDone }: DialogProps) {
  const t = useT();
  const form = useCheckedForm<PasskeyUpdate, unknown, PasskeyUpdate>({
    defaultValues: { name: passkey.name },
    resolver: domainResolver(PasskeyUpdate, (values) => values),
  });
  const rename = useMutation(useTRPC().account.renamePasskey.mutationOptions({ onSuccess: onDone }));
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('Rename passkey')} persistent>
      <FormShell
        form={form}
        onSubmit={({ name }) => rename.mutate({ id: passkey.id, name })}
        error={rename.error ? toFailure(rename.error) : null}
        pending={rename.isPending}
        submitLabel={t('Rename passkey')}
        onCancel={onClose}
        layout="panel"
      >
        <TextField control={form.control} name="name" label={t('Name of the passkey')} maxLength={100} autoFocus />
      </FormShell>
    </Dialog>
  );
}

function RemoveDialog(props: DialogProps & { state: SecondFactorState; last: boolean }) {
  const { state, passkey, last, onClose, onDone } = props;
  const t = useT();
  const remove = useMutation(useTRPC().account.removePasskey.mutationOptions({ onSuccess: onDone }));
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Remove passkey {name}?', { name: passkey.name })}
      persistent
    >
      <ProofForm
        state={state}
        save={{ ...remove, mutate: (proof) => remove.mutate({ id: passkey.id, ...proof }) }}
        submitLabel={t('Remove passkey')}
        tone="danger"
        onCancel={onClose}
      >
        <p>
          {last
            ? t(
                'It is your only second factor: your password alone then signs you in, and the recovery codes stop working.',
              )
            : t('It no longer signs you in. Delete it on your device as well.')}
        </p>
      </ProofForm>
    </Dialog>
  );
}
