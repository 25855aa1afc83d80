import { Spinner } from '@/ui/spinner';

/** While the session is restored. The spinner fades in late, so that a quick start shows nothing that flickers. */
export function StartScreen({ label = 'Restoring your session' }: { label?: string }) {
  return (
    <div className="flex min-h-dvh items-center justify-center text-muted opacity-100 transition-opacity delay-300 duration-300 starting:opacity-0">
      <Spinner label={label} size={20} />
    </div>
  );
}
