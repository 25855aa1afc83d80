'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { SecondFactorState } from '@/domain/second-factor';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Skeleton } from '@/ui/loading';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { RelativeTime } from '@/ui/values';
import { QueryView } from '../shared/query-view';
import { Enrolment } from '../shared/second-factor/enrollment';
import { RecoveryCodeList } from '../shared/second-factor/recovery-codes';
import { PasskeyTable } from './passkeys';
import { ProofForm } from './proof-form';

/** So few recovery codes that it is time for new ones. */
const FEW = 3;

/** The user's own second factor: authenticator app, passkeys and recovery codes. */
export function SecondFactor() {
  const t = useT();
  const query = useQuery(useTRPC().account.secondFactor.queryOptions());
  return (
    <>
      <div className="max-w-lg">
        <Section
          title={t('Second factor')}
          description={t(
            'A code from an authenticator app or a passkey in addition to your password. API tokens need no second factor.',
          )}
        >
          <QueryView query={query} skeleton={<Skeleton className="h-16" />}>
            {(state) => <Content state={state} />}
          </QueryView>
        </Section>
      </div>
      <PasskeyTable query={query} />
    </>
  );
}

type Task = 'enrol' | 'codes' | 'remove' | 'remove_app' | null;

function Content({ state }: { state: SecondFactorState }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [task, setTask] = useState<Task>(null);
  const close = () => {
    setTask(null);
    void queryClient.invalidateQueries(trpc.account.secondFactor.pathFilter());
    void queryClient.invalidateQueries(trpc.account.sessions.pathFilter());
  };
  const [role] = state.required_by;
  const required = role !== undefined && t('The role {role} requires a second factor', { role });
  const enroll = (
    <Button
      variant={state.enrolled_at === null ? 'primary' : 'secondary'}
      icon={<ShieldCheck size={14} />}
      onClick={() => setTask('enrol')}
    >
      {state.enrolled_at === null ? t('Set up a second factor') : t('Set up authenticator app')}
    </Button>
  );
  return (
    <>
      {state.enrolled_at === null ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-muted">{t('Not set up. Anyone who knows your password can sign in.')}</p>
          {enroll}
        </div>
      ) : (
        <div className="flex flex-col gap-4">
          <Properties
            items={[
              {
                label: t('{set_up, select, true {Set up} other {Not set up}}', { set_up: true }),
                value: <RelativeTime at={state.enrolled_at} />,
              },
              {
                label: t('Authenticator app'),
                value:
                  state.app_at === null ? (
                    t('{set_up, select, true {Set up} other {Not set up}}', { set_up: false })
                  ) : (
                    <RelativeTime at={state.app_at} />
                  ),
              },
              {
                label: t('Recovery codes left'),
                value: (
                  <Badge tone={state.recovery_codes_left <= FEW ? 'warn' : 'ok'}>{state.recovery_codes_left}</Badge>
                ),
              },
              ...(role === undefined ? [] : [{ label: t('Required by'), value: state.required_by.join(', ') }]),
            ]}
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setTask('remove')} disabledReason={required}>
              {t('Disable second factor')}
            </Button>
            {state.app_at === null
              ? enroll
              : state.passkeys.length > 0 && (
                  <Button onClick={() => setTask('remove_app')}>{t('Remove authenticator app')}</Button>
                )}
            <Button onClick={() => setTask('codes')}>{t('New recovery codes')}</Button>
          </div>
        </div>
      )}
      {task === 'enrol' && (
        <Dialog
          open
          onOpenChange={(next) => !next && close()}
          title={state.enrolled_at === null ? t('Set up a second factor') : t('Set up authenticator app')}
          persistent
        >
          <Enrolment
            state={state}
            onCancel={close}
            onDone={() => {
              showToast('ok', { title: t('Second factor set up'), description: t('All your other sessions ended.') });
              close();
            }}
          />
        </Dialog>
      )}
      {task === 'codes' && <RenewDialog state={state} onClose={close} />}
      {task === 'remove' && <RemoveDialog state={state} onClose={close} />}
      {task === 'remove_app' && <RemoveAppDialog state={state} onClose={close} />}
    </>
  );
}

type DialogProps = { state: SecondFactorState; onClose: () => void };

function RenewDialog({ state, onClose }: DialogProps) {
  const t = useT();
  const renew = useMutation(useTRPC().account.renewRecoveryCodes.mutationOptions());
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('New recovery codes')} persistent>
      {renew.data ? (
        <RecoveryCodeList codes={renew.data.recovery_codes} onDone={onClose} />
      ) : (
        <ProofForm state={state} save={renew} submitLabel={t('Create new codes')} onCancel={onClose}>
          <p>{t('All earlier recovery codes stop working, including unused codes.')}</p>
        </ProofForm>
      )}
    </Dialog>
  );
}

function RemoveDialog({ state, onClose }: DialogProps) {
  const t = useT();
  const remove = useMutation(
    useTRPC().account.removeSecondFactor.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('Second factor disabled') });
        onClose();
      },
    }),
  );
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('Disable second factor?')} persistent>
      <ProofForm state={state} save={remove} submitLabel={t('Disable second factor')} tone="danger" onCancel={onClose}>
        <p>
          {t('Your password alone then signs you in. Authenticator app, passkeys and recovery codes stop working.')}
        </p>
      </ProofForm>
    </Dialog>
  );
}

function RemoveAppDialog({ state, onClose }: DialogProps) {
  const t = useT();
  const remove = useMutation(
    useTRPC().account.removeAuthenticatorApp.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('Authenticator app removed') });
        onClose();
      },
    }),
  );
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('Remove authenticator app?')} persistent>
      <ProofForm
        state={state}
        save={remove}
        submitLabel={t('Remove authenticator app')}
        tone="danger"
        onCancel={onClose}
      >
        <p>{t('Its codes stop working. Your passkeys and recovery codes keep working.')}</p>
      </ProofForm>
    </Dialog>
  );
}
