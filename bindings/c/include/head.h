// Brolga for C: Direct3D shader bytecode on the CPU. Made of bindings/c/src by cbindgen; changes belong there.
//
// A call returns a code, BROLGA_CODE_OK on success, and takes a pointer to a BrolgaError as its last argument. That
// struct is the caller's and needs no initialisation; afterwards it has the code and one sentence about it. It may be
// NULL.
//
// Objects are made by calls, which write a pointer to them, or NULL after an error, and are freed by their own
// `destroy`, which takes NULL. An object keeps others that it needs alive: these may be destroyed before it, in any
// order. NULL, and pointers to objects of another kind, are errors (BROLGA_CODE_NULL_HANDLE, BROLGA_CODE_WRONG_HANDLE).
// An object that was destroyed must not be used again: usually that is BROLGA_CODE_WRONG_HANDLE too, but its memory may
// belong to something else by then, as with free().
//
// Options are structs whose first field is their size. Their `init` function sets it and fills in the defaults, so that
// a program that was built with an older header works with a newer library:
//
//     BrolgaDeviceOptions options;
//     brolga_device_options_init(&options, sizeof options);
//     options.threads = 4;
//
// Callers promise that a pointer points to as much memory as the call documents, or is NULL, which is an error where an
// object or memory is required; that no other thread changes that memory during the call, and it is not also memory of
// an object of the call; and that objects are not destroyed while a call uses them. All else is checked.
//
// Objects may be used by any threads at once, except workers and passes, which say so. There is no global state. Texts
// are UTF-8. A message on the standard error output comes only with a panic, which is a bug in Brolga and becomes
// BROLGA_CODE_PANIC.
