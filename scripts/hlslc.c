// Compiles HLSL with Microsoft's d3dcompiler_47.dll, under Windows or Wine. docs/compile.md says how it is built and used.
//
//     hlslc PROFILE ENTRY INPUT OUTPUT

#include <stdio.h>
#include <d3dcompiler.h>

int wmain(int count, wchar_t **arguments) {
    if (count != 5) {
        fputs("hlslc PROFILE ENTRY INPUT OUTPUT\n", stderr);
        return 2;
    }
    char profile[32], entry[256];
    snprintf(profile, sizeof profile, "%ls", arguments[1]);
    snprintf(entry, sizeof entry, "%ls", arguments[2]);
    ID3DBlob *code = NULL, *said = NULL;
    HRESULT result = D3DCompileFromFile(arguments[3], NULL, D3D_COMPILE_STANDARD_FILE_INCLUDE, entry, profile,
                                        D3DCOMPILE_OPTIMIZATION_LEVEL3, 0, &code, &said);
    if (said) fputs(said->lpVtbl->GetBufferPointer(said), stderr);
    if (SUCCEEDED(result)) result = D3DWriteBlobToFile(code, arguments[4], TRUE);
    if (FAILED(result)) {
        fprintf(stderr, "error %08lx\n", (unsigned long)result);
        return 1;
    }
    return 0;
}
