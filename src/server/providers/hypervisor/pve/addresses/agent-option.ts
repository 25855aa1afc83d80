const OFF = /^(0|no|off|false)$/i;

/** Whether the `agent` option of a virtual machine asks for a guest agent: `1`, `on`, `enabled=1,fstrim_cloned_disks=1`. */
export function agentEnabled(option: unknown): boolean {
  if (typeof option === 'number' || typeof option === 'boolean') return Boolean(option);
  if (typeof option !== 'string' || option === '') return false;
  const parts = option.split(',').map((part) => part.trim());
  // The key of the first value may be left out.
  const value =
    parts.find((part) => part.startsWith('enabled='))?.slice(8) ?? parts.find((part) => !part.includes('='));
  return value !== undefined && value !== '' && !OFF.test(value);
}
