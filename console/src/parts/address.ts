import { useSearchParams } from 'wouter';

/** A state of a screen that its address holds, so that it can be shared. Empty texts are left out. */
export function useAddressField(name: string): [string, (value: string) => void] {
  const [fields, setFields] = useSearchParams();
  const set = (value: string): void => {
    setFields(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  };
  return [fields.get(name) ?? '', set];
}

/** The open tab of a screen, in its address. The first one is open if the address names none. */
export function useTab<T extends string>(tabs: readonly [T, ...T[]]): [T, (tab: T) => void] {
  const [wanted, set] = useAddressField('tab');
  const [first] = tabs;
  return [tabs.find((tab) => tab === wanted) ?? first, (tab) => set(tab === first ? '' : tab)];
}
