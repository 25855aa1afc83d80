'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { PasswordChange } from '@/domain/account';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';

const EMPTY = { current_password: '', new_password: '' };

const endedText = (t: Translate, count: number) =>
  count === 0 ? undefined : t('{n, plural, one {One other session} other {# other sessions}} ended.', { n: count });

/** Changes the user's own password. */
export function PasswordForm() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const factor = useQuery(trpc.account.secondFactor.queryOptions());
  const form = useCheckedForm<PasswordChange, unknown, PasswordChange>({
    defaultValues: EMPTY,
    resolver: domainResolver(PasswordChange, (values) => values),
  });
  const save = useMutation(
    trpc.account.changePassword.mutationOptions({
      onSuccess: ({ ended_sessions }) => {
        form.reset(EMPTY);
        void queryClient.invalidateQueries(trpc.account.sessions.pathFilter());
        showToast('ok', { title: t('Password changed'), description: endedText(t, ended_sessions) });
      },
    }),
  );
  if (factor.data?.has_password === false) {
    return (
      <div className="max-w-lg">
        <Section title={t('Password')}>
          <p className="text-muted">
            {t(
              'Your account has no password, because you sign in through your organization. An administrator can set a password.',
            )}
          </p>
        </Section>
      </div>
    );
  }
  return (
    <div className="max-w-lg">
      <Section
        title={t('Password')}
        description={t('Changing the password ends all your other sessions. API tokens keep working.')}
      >
        <FormShell
          form={form}
          onSubmit={(input) => save.mutate(input)}
          error={save.error ? toFailure(save.error) : null}
          pending={save.isPending}
          submitLabel={t('Change password')}
        >
          <PasswordField
            control={form.control}
            name="current_password"
            label={t('Current password')}
            autoComplete="current-password"
          />
          <PasswordField
            control={form.control}
            name="new_password"
            label={t('New password')}
            autoComplete="new-password"
            description={t('At least 12 characters. A passphrase is fine.')}
          />
        </FormShell>
      </Section>
    </div>
  );
}
