'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AccountSession } from '@/domain/account';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { createColumnHelper } from '@/ui/columns';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { deviceText, proofText } from './session-labels';

const make = createColumnHelper<AccountSession>();

const columns = (t: Translate) => [
  make.custom(
    'device',
    t('Device'),
    (session) => (
      <span className="inline-flex min-w-0 items-center gap-2" title={session.user_agent ?? undefined}>
        <span className="truncate">{deviceText(t, session.user_agent)}</span>
        {session.current && <Badge tone="ok">{t('Current')}</Badge>}
      </span>
    ),
    { width: 240, grow: true, csv: (session) => session.user_agent },
  ),
  make.text('method', t('Authentication'), (session) => proofText(t, session), { width: 180 }),
  make.mono('source_address', t('From'), (session) => session.source_address, { width: 150 }),
  make.time('signed_in_at', t('Signed in'), (session) => session.signed_in_at),
  make.time('last_used_at', t('Last used'), (session) => session.last_used_at),
];

/** Where one is signed in, and how to end it. */
export function SessionTable() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery(trpc.account.sessions.queryOptions());
  const [ending, setEnding] = useState<AccountSession | 'others' | null>(null);
  const shown = useMemo(() => columns(t), [t]);
  const rows = query.data?.items ?? [];
  const others = rows.filter(({ current }) => !current).length;
  const done = (title: string) => {
    void queryClient.invalidateQueries(trpc.account.sessions.pathFilter());
    showToast('ok', { title });
    setEnding(null);
  };
  const end = useMutation(trpc.account.endSession.mutationOptions({ onSuccess: () => done(t('Session ended')) }));
  const endOthers = useMutation(
    trpc.account.endOtherSessions.mutationOptions({ onSuccess: () => done(t('All other sessions ended')) }),
  );
  const mutation = ending === 'others' ? endOthers : end;
  return (
    <Section
      title={t('Sessions')}
      actions={
        <Button
          size="sm"
          icon={<LogOut size={14} />}
          onClick={() => setEnding('others')}
          disabledReason={others === 0 && t('No other sessions')}
        >
          {t('End all other sessions')}
        </Button>
      }
      bare
    >
      <DataTable
        id="account-sessions"
        label={t('Sessions')}
        noun={{ one: t('session'), many: t('sessions') }}
        columns={shown}
        rows={rows}
        rowId={(session) => session.id}
        total={rows.length}
        loading={query.isPending}
        error={query.error && toFailure(query.error)}
        onRetry={() => void query.refetch()}
        height="auto"
        rowActions={(session) => ({
          name: deviceText(t, session.user_agent),
          entries: [
            {
              id: 'end',
              label: t('End session'),
              tone: 'danger',
              onSelect: () => setEnding(session),
              disabledReason: session.current && t('This is your current session. Sign out instead'),
            },
          ],
        })}
        empty={<EmptyState title={t('No sessions')}>{t('Your sessions on all devices appear here.')}</EmptyState>}
      />
      {ending && (
        <ConfirmDialog
          open
          onOpenChange={(next) => !next && setEnding(null)}
          title={ending === 'others' ? t('End all other sessions?') : t('End this session?')}
          confirmLabel={ending === 'others' ? t('End all other sessions') : t('End session')}
          pending={mutation.isPending}
          error={mutation.error ? toFailure(mutation.error) : null}
          onConfirm={() => (ending === 'others' ? endOthers.mutate() : end.mutate({ id: ending.id }))}
        >
          <p>
            {ending === 'others'
              ? t('{n, plural, one {One other device is} other {# other devices are}} signed out immediately.', {
                  n: others,
                })
              : t('{device} is signed out immediately.', { device: deviceText(t, ending.user_agent) })}
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
