//! Draws pictures of mismatches: the expected picture in dark grey, differences within the tolerance in yellow, edges
//! in blue and wrong pixels in red.

use std::io::Cursor;

use brolga_files::{Bytes, FileForm};
use brolga_runtime::{CancelToken, Format, TextureShape};

use super::CheckResult;
use super::picture::{Mark, Picture};
use crate::Outcome;
use crate::prepare::Prepared;
use crate::prepare::expected::Check;

impl Prepared {
    /// A picture for each level of a texture that is not as expected, as a file name and the file's bytes.
    pub fn difference_pictures(&self, outcome: &Outcome) -> Vec<(String, Vec<u8>)> {
        let mut pictures = Vec::new();
        let all = self.document.model.expectations.iter().zip(&self.checks).zip(&outcome.checks);
        for ((expectation, check), checked) in all {
            let (Check::Texels { format, levels, plane, texels }, CheckResult::Pictures(found)) =
                (check, &checked.result)
            else {
                continue;
            };
            let Some(texture) = self.texture_of(outcome, expectation.subject.name()) else { continue };
            let mut at = 0;
            for (level, held) in levels.iter().zip(found) {
                let never = || false;
                let Ok(bytes) = crate::run::level_texels(&texture, *level, *plane, &never) else { continue };
                let wanted = &texels[at..at + bytes.len()];
                at += bytes.len();
                if held.check.holds() {
                    continue;
                }
                let [wanted, got] = [wanted, &bytes].map(|texels| Picture::new(*format, level.extents, texels));
                let suffix = if levels.len() > 1 { format!("-{}-{}", level.mip, level.layer) } else { String::new() };
                let plain = |text: &str| -> String {
                    text.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect()
                };
                let name = format!("{}.{}", plain(self.document.name()), plain(&checked.id));
                if let Some(png) = picture(&wanted, &got, level.extents, &expectation.rules.tolerance) {
                    pictures.push((format!("{name}{suffix}.difference.png"), png));
                }
            }
        }
        pictures
    }
}

fn picture(
    wanted: &Picture<'_>,
    got: &Picture<'_>,
    [width, height]: [u32; 2],
    tolerance: &crate::Tolerance,
) -> Option<Vec<u8>> {
    let mut texels = Vec::new();
    for at in (0..height).flat_map(|y| (0..width).map(move |x| [x, y])) {
        let grey = wanted.brightness(at) / 3;
        texels.extend([grey, grey, grey, 255]);
    }
    let mut mark = |[x, y]: [u32; 2], mark: Mark| {
        let color = match mark {
            Mark::Near => [200, 180, 0, 255],
            Mark::Edge => [60, 110, 255, 255],
            Mark::Wrong => [255, 30, 30, 255],
        };
        texels[4 * (y as usize * width as usize + x as usize)..][..4].copy_from_slice(&color);
    };
    wanted.check_marking(got, tolerance, &|| false, &mut mark).ok()?;
    let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, width, height);
    let mut file = Cursor::new(Vec::new());
    FileForm::Png.write(&mut file, &shape, &Bytes::Owned(texels), &CancelToken::new()).ok()?;
    Some(file.into_inner())
}
