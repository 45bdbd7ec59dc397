/** Remembers the latest results of a computation by key. */

export interface Recent<Form> {
  /** The form of `id` that is wanted: one that is kept, or the one that `make` makes, which is kept now. */
  readonly find: (id: string, isWanted: (form: Form) => boolean, make: () => Form) => Form;
}

/** Of each id `most` forms are kept, those that were asked for last. */
export function createRecent<Form>(most: number): Recent<Form> {
  const known = new Map<string, readonly Form[]>();
  return {
    find: (id, isWanted, make) => {
      const forms = known.get(id) ?? [];
      const [latest] = forms;
      if (latest !== undefined && isWanted(latest)) return latest;
      const form = forms.find(isWanted) ?? make();
      known.set(id, [form, ...forms.filter((other) => other !== form)].slice(0, most));
      return form;
    },
  };
}
