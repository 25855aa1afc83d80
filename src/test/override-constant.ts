/** Changes a constant that files share. @returns how to change it back */
export function overrideConstant<T extends object>(constant: T, values: Partial<T>): () => void {
  const before = { ...constant };
  Object.assign(constant, values);
  return () => void Object.assign(constant, before);
}
