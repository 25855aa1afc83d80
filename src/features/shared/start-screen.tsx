import { useT } from '@/lib/i18n/use-t';
import { Spinner } from '@/ui/spinner';

/** While the session is restored. The spinner fades in late, so that a quick start shows nothing that flickers. */
export function StartScreen({ inFrame = false }: { inFrame?: boolean }) {
  const t = useT();
  return (
    <div
      className={`flex items-center justify-center text-muted transition-opacity delay-300 duration-300 starting:opacity-0 ${inFrame ? 'min-h-48' : 'min-h-dvh'}`}
    >
      <Spinner label={t('Restoring your session')} size={20} />
    </div>
  );
}
