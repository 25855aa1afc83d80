'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { useState } from 'react';
import type { AccountSession } from '@/domain/account';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { columnsOf } from '@/ui/columns';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { deviceText } from './device-text';
import { proofText } from './proof-text';

const make = columnsOf<AccountSession>();

const COLUMNS = [
  make.custom(
    'device',
    'Device',
    (session) => (
      <span className="inline-flex min-w-0 items-center gap-2" title={session.user_agent ?? undefined}>
        <span className="truncate">{deviceText(session.user_agent)}</span>
        {session.current && <Badge tone="ok">This one</Badge>}
      </span>
    ),
    { width: 240, grow: true, csv: (session) => session.user_agent },
  ),
  make.text('method', 'Proved by', proofText, { width: 180 }),
  make.mono('source_address', 'From', (session) => session.source_address, { width: 150 }),
  make.time('signed_in_at', 'Signed in', (session) => session.signed_in_at, { width: 130 }),
  make.time('last_used_at', 'Last used', (session) => session.last_used_at, { width: 130 }),
];

/** Where one is signed in, and how to end it. */
export function SessionTable() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery(trpc.account.sessions.queryOptions());
  const [ending, setEnding] = useState<AccountSession | 'others' | null>(null);
  const rows = query.data?.items ?? [];
  const others = rows.filter(({ current }) => !current).length;
  const done = (title: string) => {
    void queryClient.invalidateQueries(trpc.account.sessions.pathFilter());
    showToast('ok', { title });
    setEnding(null);
  };
  const end = useMutation(trpc.account.endSession.mutationOptions({ onSuccess: () => done('Sign-in ended') }));
  const endOthers = useMutation(
    trpc.account.endOtherSessions.mutationOptions({ onSuccess: () => done('All other sign-ins ended') }),
  );
  const mutation = ending === 'others' ? endOthers : end;
  const which = ending === 'others' ? 'all other sign-ins' : 'this sign-in';
  return (
    <Section
      title="Where you are signed in"
      actions={
        <Button
          size="sm"
          icon={<LogOut size={14} />}
          onClick={() => setEnding('others')}
          disabledReason={others === 0 && 'You are signed in nowhere else'}
        >
          End all others
        </Button>
      }
      bare
    >
      <DataTable
        id="account-sessions"
        label="Where you are signed in"
        noun={{ one: 'sign-in', many: 'sign-ins' }}
        columns={COLUMNS}
        rows={rows}
        rowId={(session) => session.id}
        total={rows.length}
        loading={query.isPending}
        error={query.error && failureOf(query.error)}
        onRetry={() => void query.refetch()}
        height="auto"
        rowActions={(session) => ({
          name: deviceText(session.user_agent),
          entries: [
            {
              id: 'end',
              label: 'End sign-in',
              tone: 'danger',
              onSelect: () => setEnding(session),
              disabledReason: session.current && 'Sign out instead: this is the sign-in you are using',
            },
          ],
        })}
        empty={<EmptyState title="No sign-in">Every device where you sign in is listed here.</EmptyState>}
      />
      {ending && (
        <ConfirmDialog
          open
          onOpenChange={(next) => !next && setEnding(null)}
          title={`End ${which}?`}
          confirmLabel={ending === 'others' ? 'End all others' : 'End sign-in'}
          pending={mutation.isPending}
          error={mutation.error ? failureOf(mutation.error) : null}
          onConfirm={() => (ending === 'others' ? endOthers.mutate() : end.mutate({ id: ending.id }))}
        >
          <p>
            {ending === 'others'
              ? `${others === 1 ? 'One other device is' : `${others} other devices are`} signed out at once.`
              : `${deviceText(ending.user_agent)} is signed out at once.`}
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
