'use client';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { DirectoryCheck, DirectoryCheckInput } from '@/domain/directory';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { TextInput } from '@/ui/text-input';
import { Mono } from '@/ui/values';

type Props = { read: () => Omit<DirectoryCheckInput, 'user'>; lockedReason: string | null };

/** The test is the last of a long page: its result would appear below what is seen. */
const showResult = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });

/** Looks a user up with the settings of the form, which need not be saved. */
export function DirectoryLookup({ read, lockedReason }: Props) {
  const t = useT();
  const id = useId();
  const [user, setUser] = useState('');
  const check = useMutation(useTRPC().directory.check.mutationOptions());
  const failure = check.error ? toFailure(check.error) : null;
  const name = user.trim();
  const disabledReason = lockedReason ?? (name === '' && t('Enter a user name first'));
  const test = () => check.mutate({ ...read(), user: name });
  return (
    <Section
      title={t('Test')}
      description={t('Finds a user with the settings above, without a password. Nothing is saved.')}
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-end gap-2">
          <div className="flex min-w-0 grow flex-col gap-1">
            <label htmlFor={id}>{t('User name')}</label>
            <TextInput
              id={id}
              value={user}
              onChange={(event) => setUser(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                // The field is in the form of the settings, which Enter would save.
                event.preventDefault();
                if (!disabledReason && !check.isPending) test();
              }}
              mono
              autoComplete="off"
            />
          </div>
          <Button onClick={test} pending={check.isPending} disabledReason={disabledReason}>
            {t('Test connection')}
          </Button>
        </div>
        {(check.data || failure) && (
          <div key={check.submittedAt} ref={showResult} className="scroll-mb-4">
            {check.data && <Found check={check.data} />}
            {failure && (
              <Notice tone="danger" title={t('Directory test failed')} live>
                {failure.errors?.map(({ message }) => message).join(' ') || failure.detail}
              </Notice>
            )}
          </div>
        )}
      </div>
    </Section>
  );
}

function Found({ check: { server, encrypted, user } }: { check: DirectoryCheck }) {
  const t = useT();
  if (!user) {
    return (
      <Notice tone="warn" title={t('No such user')} live>
        {t.rich('{server} answered. No account matches the user filter.', { server: <Mono wrap>{server}</Mono> })}
      </Notice>
    );
  }
  const none = t('None');
  return (
    <Notice tone={user.disabled ? 'warn' : 'ok'} title={t('User found')} live>
      <Properties
        items={[
          { label: t('Server'), value: <Mono wrap>{server}</Mono> },
          { label: t('Encryption'), value: encrypted ? t('On') : t('Off') },
          { label: t('DN'), value: <Mono wrap>{user.dn}</Mono> },
          { label: t('Name'), value: user.name ?? none },
          { label: t('Email address'), value: user.email ?? none },
          { label: t('State'), value: user.disabled ? <Badge tone="warn">{t('Disabled')}</Badge> : t('Active') },
          {
            label: t('Groups'),
            value:
              user.groups.length > 0 ? (
                <ul className="flex flex-col gap-1">
                  {user.groups.map(({ dn }) => (
                    <li key={dn}>
                      <Mono wrap>{dn}</Mono>
                    </li>
                  ))}
                </ul>
              ) : (
                none
              ),
          },
          { label: t('Roles'), value: user.roles.length > 0 ? user.roles.join(', ') : none },
        ]}
      />
    </Notice>
  );
}
