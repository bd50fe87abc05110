//! Tests textures, as described by documents and by their files.

use brolga_runtime::{Dimension, Format, TextureShape};

use super::{Folder, file, prepared};
use crate::Prepared;
use crate::model::resource::Kind;
use crate::model::texture::TextureKeys;
use crate::prepare::load::LoadedContent;

fn shape(ready: &Prepared) -> TextureShape {
    let Kind::Texture(shape) = ready.loaded[0].kind else { panic!("{:?}", ready.loaded[0]) };
    shape
}

#[test]
fn a_file_is_seen_as_the_shader_declares_it_where_that_can_be() {
    let seen = |file: TextureShape, as_: Dimension| {
        let mut keys = TextureKeys::default();
        keys.seen_as = Some(as_);
        keys.fit(file).unwrap().dimension
    };
    let rectangle = TextureShape::texture_2d(Format::R8_UINT, 4, 4);
    assert_eq!(seen(rectangle, Dimension::Texture2dArray), Dimension::Texture2dArray);
    let cube = TextureShape::new(Dimension::TextureCube, Format::R8_UINT, 4).height(4);
    assert_eq!(seen(cube, Dimension::Texture2dArray), Dimension::Texture2dArray);
    for other in [Dimension::Texture2d, Dimension::Texture3d, Dimension::Texture1d] {
        assert_eq!(seen(cube, other), Dimension::TextureCube);
    }
}

#[test]
fn an_image_takes_its_sides_from_a_picture_or_an_array() {
    let folder = Folder::new();
    let rectangle = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 3, 2);
    for name in ["p.png", "p.npy"] {
        folder.write(name, &file(name, &rectangle, &[7; 24]));
    }
    let prepare =
        |texture: &str, file: &str| folder.prepare(&format!("[t0]\ntexture2d = {texture}\nfile = \"{file}\""));
    for file in ["p.png", "p.npy"] {
        let ready = prepare("{ format = \"R8G8B8A8_UNORM\" }", file).unwrap();
        assert_eq!((shape(&ready), ready.loaded[0].content.size_bytes()), (rectangle, 24));
    }
    let wrong = |texture: &str, file: &str| prepare(texture, file).unwrap_err();
    let sides = wrong("{ format = \"R8G8B8A8_UNORM\", width = 2, height = 2 }", "p.png");
    assert!(sides.ends_with("p.png: its width is 3, not the 2 that is asked for"));
    assert!(wrong("{ format = \"R32_UINT\" }", "p.png").contains("R8G8B8A8_UNORM, which do not become R32_UINT"));
    assert!(wrong("{ format = \"R32_FLOAT\" }", "p.npy").ends_with("elements of |u1, the view's format needs <f4"));
    assert!(
        wrong("{ format = \"R8G8B8A8_UNORM\", width = 2, height = 3 }", "p.npy")
            .ends_with("shape is [2, 3, 4], the texture's [3, 2]")
    );
    assert!(wrong("{ format = \"R8G8B8A8_UNORM\" }", "s.cso").contains("needs the key `width`"));
}

#[test]
fn a_texture_is_what_its_file_says() {
    let folder = Folder::new();
    let cube = TextureShape::new(Dimension::TextureCube, Format::R8G8B8A8_UNORM, 4).height(4).mips(3);
    let texels: Vec<u8> = (0..cube.size_bytes().unwrap()).map(|n| n as u8).collect();
    let light = TextureShape::texture_2d(Format::R16G16B16A16_FLOAT, 2, 3);
    folder.write("cube.dds", &file("cube.dds", &cube, &texels));
    folder.write("light.EXR", &file("light.EXR", &light, &[0x3c; 48]));
    let prepare = |binding: &str| {
        let ready = folder.prepare(binding)?;
        let LoadedContent::Bytes(bytes) = &ready.loaded[0].content else { panic!("{binding}") };
        Ok::<_, String>((shape(&ready), bytes.clone()))
    };
    assert_eq!(prepare("[t0]\nfile = \"cube.dds\""), Ok((cube, texels.clone())));
    let (found, _) = prepare("[t0]\nfile = \"light.EXR\"").unwrap();
    assert_eq!(found, light);
    let (found, bytes) = prepare("[t0]\ntexture2d = { format = \"R32_FLOAT\" }\nfile = \"light.EXR\"").unwrap();
    assert_eq!((found.format, bytes.len()), (Format::R32_FLOAT, 24));
    // The same texels viewed as other dimensions and formats.
    let six = "[t0]\ntexture2darray = { layers = 6, format = \"R8G8B8A8_UNORM_SRGB\" }\nfile = \"cube.dds\"";
    let (found, bytes) = prepare(six).unwrap();
    assert_eq!(
        (found.dimension, found.layers, found.format),
        (Dimension::Texture2dArray, 6, Format::R8G8B8A8_UNORM_SRGB)
    );
    assert_eq!(bytes, texels);
    let generated = "[t0]\ntexture2d = { mips = \"generate\" }\nfile = \"light.EXR\"";
    let (found, bytes) = prepare(generated).unwrap();
    assert_eq!((found.mips, bytes), (2, vec![0x3c; 48 + 8]));
    let wrong = |texture: &str| prepare(&format!("[t0]\n{texture}\nfile = \"cube.dds\"")).unwrap_err();
    assert!(wrong("texture3d = {}").ends_with("cube.dds: it is a texturecube, not the texture3d that is asked for"));
    assert!(wrong("texturecube = { mips = 1 }").ends_with("cube.dds: its mips is 3, not the 1 that is asked for"));
    assert!(wrong("texture2d = {}").contains("layers"));
    assert!(
        wrong("texturecube = { mips = \"generate\" }").ends_with("3 mip levels already: leave `mips` out to take them")
    );
    assert_eq!(
        prepare("[t0]\ntexture2d = { mips = \"generate\" }\nfill = \"zero\"").unwrap_err(),
        "a texture with generated mips needs the key `file` that ends in `.png`, `.dds` or `.exr`"
    );
    assert!(wrong("texturecube = { format = \"R32_UINT\" }").contains("R8G8B8A8_UNORM, which do not become R32_UINT"));
    assert!(prepare("[t0]\ntexture2d = {}\nfile = \"s.cso\"").unwrap_err().contains("needs the key `format`"));
    for kind in ["raw = {}", "typed = { format = \"R32_UINT\" }", "structured = { stride = 4 }"] {
        assert!(wrong(kind).contains("cube.dds: by its name this is a texture, but the view is "), "{kind}");
    }
}

/// Every kind of texture with its keys alone, and the bytes that the runtime counts.
#[test]
fn every_kind_of_texture_has_its_keys() {
    let size = |texture: &str| {
        let ready = prepared(&format!("[u0]\n{texture}\n")).map_err(|error| error.problem().to_string());
        ready.map(|ready| ready.loaded[0].content.size_bytes())
    };
    for (texture, texels) in [
        ("texture1d = { format = \"R8_UINT\", width = 5 }", 5),
        ("texture1darray = { format = \"R8_UINT\", width = 5, layers = 3 }", 15),
        ("texture2d = { format = \"R8_UINT\", width = 4, height = 2, mips = 3 }", 8 + 2 + 1),
        ("texture2darray = { format = \"R8_UINT\", width = 5, height = 2, layers = 3 }", 30),
        ("texture3d = { format = \"R8_UINT\", width = 5, height = 2, depth = 3 }", 30),
        ("texturecube = { format = \"R8_UINT\", width = 4 }", 6 * 16),
        ("texturecubearray = { format = \"R8_UINT\", width = 4, layers = 12 }", 12 * 16),
        ("texture2dms = { format = \"R8_UINT\", width = 5, height = 2, samples = 4 }", 40),
        ("texture2dmsarray = { format = \"R8_UINT\", width = 5, height = 2, layers = 3, samples = 4 }", 120),
    ] {
        assert_eq!(size(texture), Ok(texels), "{texture}");
        let kind = texture.split(' ').next().unwrap();
        assert_eq!(size(&format!("{kind} = {{}}")), Err("a texture needs the key `format`".into()));
    }
}

/// Extents that are always one for a dimension may be given, as in Direct3D's descriptions of textures.
#[test]
fn extents_that_a_kind_has_not_are_one() {
    let said = |texture: &str| {
        let ready = prepared(&format!("[u0]\n{texture}\n"));
        ready.map(|ready| shape(&ready)).map_err(|error| error.problem().to_string())
    };
    let plain = said("texture2d = { format = \"R8_UINT\", width = 4, height = 2 }");
    for more in ["layers = 1", "depth = 1", "samples = 1", "mips = 1", "depth = 1, layers = 1"] {
        assert_eq!(said(&format!("texture2d = {{ format = \"R8_UINT\", width = 4, height = 2, {more} }}")), plain);
    }
    // One of several samples is of another kind.
    let several = "texture2d = { format = \"R8_UINT\", width = 4, height = 2, samples = 2 }";
    assert_eq!(said(several), said(&several.replace("texture2d", "texture2dms")));
    let six = "texturecube = { format = \"R8_UINT\", width = 4 }";
    assert_eq!(said(&six.replace(" }", ", layers = 6, height = 4 }")), said(six));
    assert!(said(&six.replace(" }", ", layers = 5 }")).unwrap_err().starts_with("u0: "));
    for (kind, key) in [
        ("texture2d", "layers"),
        ("texture2d", "depth"),
        ("texture1d", "height"),
        ("texture3d", "layers"),
        ("texture2dms", "mips"),
        ("texture2dms", "depth"),
        ("texturecube", "depth"),
    ] {
        for text in [
            format!("{kind} = {{ format = \"R8_UINT\", {key} = 2 }}"),
            format!("kind = \"{kind}\"\nformat = \"R8_UINT\"\n{key} = 2"),
        ] {
            assert_eq!(said(&text), Err(format!("unknown key `{key}` in a texture")), "{text}");
        }
    }
}
