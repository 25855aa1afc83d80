'use client';
import { useQuery } from '@tanstack/react-query';
import type { SignInMethods } from '@/domain/sign-in-provider';
import { useT } from '@/lib/i18n/use-t';
import { rest } from '@/lib/rest';
import { buttonClass } from '@/ui/button-class';

/** Where a browser begins to sign in through the provider. */
const startPath = (next: string | null) =>
  `/api/v1/auth/oidc/start${next ? `?${new URLSearchParams({ next: next.slice(0, 2000) })}` : ''}`;

/** Sign-in with an account of the organization, where available. */
export function ProviderButton({ next }: { next: string | null }) {
  const t = useT();
  const { data } = useQuery({
    queryKey: ['auth', 'methods'],
    queryFn: ({ signal }) => rest<SignInMethods>('/auth/methods', { open: true, signal }),
  });
  if (!data?.oidc) return null;
  return (
    <div className="flex flex-col gap-3 border-t pt-4">
      {/* A link of the browser's own: the way leads out of these pages. */}
      <a className={`${buttonClass({})} w-full justify-center`} href={startPath(next)}>
        {t('Sign in with {name}', { name: data.oidc.label })}
      </a>
    </div>
  );
}
