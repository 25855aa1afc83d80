import { Badge } from '@/ui/badge';
import type { Tone } from '@/ui/tone';

const TONES: Record<string, Tone> = { GET: 'info', POST: 'ok', PUT: 'warn', PATCH: 'warn', DELETE: 'danger' };

/** The method of a call; reading, adding, changing and deleting look different. */
export function MethodBadge({ method }: { method: string }) {
  return <Badge tone={TONES[method] ?? 'neutral'}>{method}</Badge>;
}
